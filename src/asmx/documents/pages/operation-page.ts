import { html, type Html, NOTHING } from '../../../support/html';
import { inlineText } from '../../../support/html-page';
import type { OperationContract, ServiceContract } from '../../contract/operation';
import type { ElementContract } from '../../contract/values';
import type { HttpResponse } from '../../http/response';
import { CACHE_RESULT } from '../../http/response-headers';
import { type ExampleValues, type OperationHelp, readExamples } from '../help';
import { clientSection } from './client-lines';
import { curlCommand } from './commands';
import {
  breakable,
  choices,
  codeBlock,
  COPY_SCRIPT,
  type EndpointAddress,
  page,
  pageFile,
  serviceTitle,
  TOP,
} from './page';
import { exampleOrPlaceholder, marked, signature } from './sample-values';
import { type BindingSample, bindingTitle, requestMessage, responseMessage } from './samples';
import { TEST_FORM_SCRIPT, testForm } from './test-form';

/**
 * Colours the XML of a page, and shows the samples of one binding at a time: the chosen one, or the one in
 * the address. Without this script all samples are shown, uncoloured.
 */
const SAMPLE_SCRIPT = inlineText(String.raw`
(() => {
  'use strict';
  // Longer texts would keep the browser busy for too long.
  const MAX_COLOURED = 200_000;

  const coloured = (text, name) => {
    const part = document.createElement('span');
    part.className = name;
    part.textContent = text;
    return part;
  };

  // Odd pieces are tags; within a tag, odd pieces are attribute values.
  const colourText = (node) => {
    const pieces = node.data.split(/(<[^<>]*>)/).flatMap((piece, index) =>
      index % 2 === 0
        ? [piece]
        : piece.split(/("[^"]*")/).map((inner, place) => coloured(inner, place % 2 === 0 ? 'tag' : 'value')),
    );
    node.replaceWith(...pieces);
  };

  globalThis.colourXml = (box) => {
    if (box.textContent.length > MAX_COLOURED || !/<[?\w]/.test(box.textContent)) return;
    for (const node of [...box.childNodes]) if (node.nodeType === Node.TEXT_NODE) colourText(node);
  };
  const samples = document.querySelectorAll('#samples > section');
  for (const box of document.querySelectorAll('#samples pre:not([id$="-curl"])')) globalThis.colourXml(box);

  const choice = document.getElementById('binding-choice');
  const showChosen = () => {
    const { value } = choice.querySelector(':checked');
    for (const sample of samples) sample.hidden = sample.id !== value;
  };
  const chooseNamed = () => {
    const named = [...choice.querySelectorAll('input')].find(({ value }) => '#' + value === location.hash);
    if (named) named.checked = true;
    showChosen();
  };
  choice.hidden = false;
  choice.addEventListener('change', showChosen);
  addEventListener('hashchange', chooseNamed);
  chooseNamed();
})();
`);

/** View of the test form for a viewer: the form, the reason why there is none, or nothing. */
export type TestFormView = 'form' | 'local-only' | 'none';

interface ShownOperation {
  readonly service: ServiceContract;
  readonly operation: OperationContract;
  /** Undefined without help texts. */
  readonly help: OperationHelp | undefined;
  readonly samples: readonly BindingSample[];
}

/** The page of an operation: what it takes, a form to try it, and sample messages of every binding. */
export function operationPage(
  { service, operation, help, samples }: ShownOperation,
  address: EndpointAddress,
  view: TestFormView,
): HttpResponse {
  const file = pageFile(address);
  const examples = readExamples(help);
  const test = view === 'form' && !operation.parameters.every(isPrimitive) ? 'primitive-only' : view;
  const titles = samples.map(({ binding }) => ({ value: binding, text: bindingTitle[binding] }));
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title: operation.name,
    trail: [TOP, { text: serviceTitle(service), href: file }],
    content: html`<h1>${breakable(operation.name)}</h1>
${help === undefined ? NOTHING : html`<p class="lead">${help.summary}</p>\n`}${signature(operation, help)}\
${contents(test)}<div>
${choices('binding-choice', 'Binding', 'binding', titles)}\
${testSection(test, testForm(file, operation, samples, examples))}<div id="samples">
${samples.map((sample) => sampleSection(sample, address, examples))}</div>
</div>
${clientSection(service.name, operation, address.url, examples)}`,
    scripts: [COPY_SCRIPT, SAMPLE_SCRIPT, ...(test === 'form' ? [TEST_FORM_SCRIPT] : [])],
    sendsRequests: test === 'form',
  });
}

/** Returns the page for an unknown operation, in ASP.NET's words. */
export function unknownOperationPage(
  service: ServiceContract,
  name: string,
  address: EndpointAddress,
): HttpResponse {
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title: 'Unknown operation',
    trail: [TOP, { text: serviceTitle(service), href: pageFile(address) }],
    content: html`<h1>Unknown operation</h1>
<p>Method '${name}' was not found in service ${service.name}.</p>
<p><a href="${pageFile(address)}">The operations of ${service.name}</a></p>`,
  });
}

/**
 * Returns true for a type that fits a field of the form. ASP.NET offers its form, as HTTP GET and POST, for
 * no others.
 */
function isPrimitive({ type, nillable }: ElementContract): boolean {
  const isText = type.name === 'string';
  return (
    (type.kind === 'enumeration' && !nillable) ||
    (type.kind === 'plain' && type.name !== 'guid' && type.name !== 'base64Binary' && (isText || !nillable))
  );
}

type TestSection = TestFormView | 'primitive-only';

/** Reason why there is no form, in ASP.NET's words. */
const NO_FORM: Readonly<Record<'local-only' | 'primitive-only', string>> = {
  'local-only': 'The test form is only available for requests from the local machine.',
  'primitive-only': 'The test form is only available for methods with primitive types as parameters.',
};

function contents(view: TestSection): Html {
  const test = view === 'none' ? NOTHING : html`<a href="#test">Test</a>\n`;
  return html`<p class="links"><span class="quiet">On this page</span>
${test}<a href="#samples">Samples</a>
<a href="#proxy">Programs</a></p>
`;
}

function testSection(view: TestSection, form: Html): Html {
  if (view === 'none') return NOTHING;
  const content = view === 'form' ? form : html`<p>${NO_FORM[view]}</p>\n`;
  return html`<h2 id="test">Test</h2>\n${content}`;
}

/** Explains the placeholders, in ASP.NET's words when there are no examples. */
function replaced(examples: ExampleValues): string {
  return Object.keys(examples).length === 0
    ? 'The placeholders shown need to be replaced with actual values.'
    : 'The marked examples and placeholders need to be replaced with actual values.';
}

function sampleSection(sample: BindingSample, address: EndpointAddress, examples: ExampleValues): Html {
  const { binding } = sample;
  const title = bindingTitle[binding];
  const fill = exampleOrPlaceholder(binding, examples);
  const curl = curlCommand(sample, address, examples);
  return html`<section id="${binding}" aria-labelledby="${binding}-heading">
<h2 id="${binding}-heading">${title}</h2>
<p>The following is a sample ${title} request and response. ${replaced(examples)}</p>
<div class="card">
${codeBlock(`${binding}-request`, 'Request', marked(requestMessage(sample, address), fill))}
${codeBlock(`${binding}-response`, 'Response', marked(responseMessage(sample), fill))}
${codeBlock(`${binding}-curl`, 'With curl, example values filled in', curl)}</div>
</section>
`;
}
