import { type HttpResponse, CACHE_RESULT } from '../../http';
import type { OperationContract, ServiceContract } from '../../contract';
import { type BindingSample, bindingTitle, requestMessage, responseMessage } from './binding-samples';
import { codeBlock, COPY_SCRIPT, operationSignature, proxySection } from './page-parts';
import { curlCommand } from './shell-commands';
import { type EndpointAddress, pageFile, serviceTitle, TOP } from './endpoint-address';
import { html, type Html, NOTHING } from './html';
import { page } from './page';
import { testForm } from './test-form';
import { TEST_FORM_SCRIPT } from './test-form-script';

/** What a visitor gets of the test form: the form, the reason why not, or no word of it. */
export type TestFormView = 'form' | 'local-only' | 'none';

/** The page of an operation: what it takes, a form to try it, and sample messages of every binding. */
export function operationPage(
  service: ServiceContract,
  operation: OperationContract,
  samples: readonly BindingSample[],
  address: EndpointAddress,
  view: TestFormView,
): HttpResponse {
  const file = pageFile(address);
  return page({
    status: 200,
    cacheControl: CACHE_RESULT,
    title: operation.name,
    trail: [TOP, { text: serviceTitle(service), href: file }],
    content: html`<h1>${operation.name}</h1>
${operationSignature(operation)}${contents(samples, view)}${testSection(view, file, operation, samples)}${samples.map((sample) => sampleSection(sample, address))}${proxySection(service.name, address.url)}`,
    scripts: view === 'form' ? [COPY_SCRIPT, TEST_FORM_SCRIPT] : [COPY_SCRIPT],
    sendsRequests: view === 'form',
  });
}

/** The page for an operation that the service does not have, in ASP.NET's words. */
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

function contents(samples: readonly BindingSample[], view: TestFormView): Html {
  const parts = [
    ...(view === 'none' ? [] : [['test', 'Test']]),
    ...samples.map(({ binding }) => [binding, bindingTitle[binding]]),
    ['proxy', 'Proxy'],
  ];
  const links = parts.map(([id = '', text = '']) => html`<a href="#${id}">${text}</a>\n`);
  return html`<p class="links"><span class="quiet">On this page</span>\n${links}</p>\n`;
}

function testSection(
  view: TestFormView,
  file: string,
  operation: OperationContract,
  samples: readonly BindingSample[],
): Html {
  if (view === 'none') return NOTHING;
  const content =
    view === 'form'
      ? testForm(file, operation, samples)
      : html`<p>The test form is only available for requests from the local machine.</p>\n`;
  return html`<h2 id="test">Test</h2>\n${content}`;
}

function sampleSection(sample: BindingSample, address: EndpointAddress): Html {
  const { binding } = sample;
  const title = bindingTitle[binding];
  return html`<h2 id="${binding}">${title}</h2>
<p>The following is a sample ${title} request and response. The placeholders shown need to be replaced with actual values.</p>
<div class="card">
${codeBlock(`${binding}-request`, 'Request', requestMessage(sample, address))}
${codeBlock(`${binding}-response`, 'Response', responseMessage(sample))}
${codeBlock(`${binding}-curl`, 'With curl, example values filled in', curlCommand(sample, address))}</div>
`;
}
