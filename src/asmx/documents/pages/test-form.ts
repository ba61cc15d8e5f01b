import type { OperationContract } from '../../contract/operation';
import type { ExampleValues } from '../help';
import { Html, html } from '../../../support/html';
import { inlineText } from '../../../support/html-page';
import { breakable, choices, codeBlock } from './page';
import { type BindingSample, MessageTemplate } from './samples';

/**
 * Sends the test form's call to this server, and shows the request and the answer. Runs after the samples'
 * script.
 */
export const TEST_FORM_SCRIPT = inlineText(String.raw`
(() => {
  'use strict';
  const part = (id) => document.getElementById(id);
  const form = part('test-form');
  const requests = JSON.parse(part('test-requests').textContent);
  const chosen = (id) => part(id).querySelector(':checked').value;

  const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escapeXml = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

  // Over SOAP a char is the decimal number of its one UTF-16 unit. Anything else is sent as typed: the
  // service's own error explains more than a refusal here could.
  const encodeForSoap = (text, type) =>
    type === 'char' && text.length === 1 ? String(text.charCodeAt(0)) : escapeXml(text);

  const fill = (parts, encode) =>
    parts
      .map((piece) => (typeof piece === 'string' ? piece : encode(part('value-' + piece.parameter).value, piece.type)))
      .join('');

  const writeElement = (element, depth) => {
    const attributes = [...element.attributes].map(({ name, value }) => ' ' + name + '="' + escapeXml(value) + '"');
    const start = '  '.repeat(depth) + '<' + element.nodeName + attributes.join('');
    if (!element.hasChildNodes()) return start + ' />';
    const end = '</' + element.nodeName + '>';
    if (element.childElementCount === 0) return start + '>' + escapeXml(element.textContent) + end;
    const inside = [...element.children].map((child) => writeElement(child, depth + 1));
    return [start + '>', ...inside, '  '.repeat(depth) + end].join('\n');
  };

  const prettyPrint = (text, contentType = '') => {
    if (text === '' || !/xml/.test(contentType)) return text;
    const parsed = new DOMParser().parseFromString(text, 'text/xml');
    if (parsed.getElementsByTagName('parsererror').length > 0) return text;
    return '<?xml version="1.0" encoding="utf-8"?>\n' + writeElement(parsed.documentElement, 0);
  };

  const lines = (headers) => Object.entries(headers).map(([name, value]) => name + ': ' + value).join('\n');

  const requestHead = (method, { host, pathname, search }, headers, body) => {
    const length = body === undefined ? {} : { 'Content-Length': new TextEncoder().encode(body).length };
    return method + ' ' + pathname + search + ' HTTP/1.1\n' + lines({ Host: host, ...headers, ...length });
  };

  /** Texts by box and view. */
  const texts = { 'sent-request': {}, 'answer-body': {} };
  const keep = (id, body, contentType, head = '') => {
    const whole = (text) => [head, text].filter((piece) => piece !== '').join('\n\n') || '(nothing)';
    texts[id] = { raw: whole(body), pretty: whole(prettyPrint(body, contentType)) };
  };
  const show = () => {
    const view = chosen('view-choice');
    for (const [id, views] of Object.entries(texts)) {
      part(id).textContent = views[view];
      part(id).className = view;
      globalThis.colourXml(part(id));
    }
    part('view-choice').hidden = Object.values(texts).every(({ raw, pretty }) => raw === pretty);
  };

  const call = async (binding) => {
    const { method, url, headers, body } = requests[binding];
    const encode = binding.startsWith('soap') ? encodeForSoap : encodeURIComponent;
    const address = new URL(fill(url, encode), document.baseURI);
    const sent = body === null ? undefined : fill(body, encode);
    const started = performance.now();
    const response = await fetch(address, { method, headers, body: sent, cache: 'no-store', redirect: 'error' });
    const bytes = await response.arrayBuffer();
    const took = Math.round(performance.now() - started);
    const received = Object.fromEntries(response.headers);
    keep('sent-request', sent ?? '', headers['Content-Type'], requestHead(method, address, headers, sent));
    keep('answer-body', new TextDecoder().decode(bytes), received['content-type']);
    part('answer-headers').textContent = lines(received);
    show();
    part('test-answer').hidden = false;
    const status = part('test-status');
    status.textContent =
      'HTTP ' + response.status + ' ' + response.statusText + ', ' + bytes.byteLength + ' bytes in ' + took + ' ms';
    status.className = response.ok ? 'good' : 'bad';
  };

  form.hidden = false;
  part('view-choice').addEventListener('change', show);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    const status = part('test-status');
    button.disabled = true;
    status.textContent = '';
    try {
      await call(chosen('binding-choice'));
    } catch (error) {
      part('test-answer').hidden = true;
      status.textContent = 'No answer: ' + error.message;
      status.className = 'bad';
    } finally {
      button.disabled = false;
    }
  });
})();
`);

/**
 * Callers that get the form that calls an operation from its page; `local` is ASP.NET's rule: callers on the
 * same machine.
 */
export type TestForm = 'local' | 'everyone' | 'off';

/** Piece of a request for the form's script: a text, or the field that supplies the value. */
type Piece = string | { readonly parameter: string; readonly type: string };

interface FormRequest {
  readonly method: string;
  readonly url: readonly Piece[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Piece[] | null;
}

const VIEWS = [
  { value: 'pretty', text: 'Pretty' },
  { value: 'raw', text: 'Raw' },
];

/**
 * Returns the form that calls an operation over the binding chosen on the page.
 *
 * @param file link to the endpoint from the page
 * @param examples initial values of its fields
 */
export function testForm(
  file: string,
  { parameters }: OperationContract,
  samples: readonly BindingSample[],
  examples: ExampleValues,
): Html {
  const fields = parameters.map(
    ({ name, type }) => html`<div class="field"><label for="value-${name}"><code>\
${breakable(name)}</code> <span class="quiet">${type.name}</span></label>
<input id="value-${name}" value="${examples[name] ?? ''}" autocomplete="off" autocapitalize="off" \
spellcheck="false"${type.name === 'char' ? html` maxlength="1"` : ''}></div>
`,
  );
  return html`<noscript><p>The test form needs JavaScript.</p></noscript>
<form id="test-form" class="card" hidden>
${fields}<div class="send"><button type="submit">Invoke</button>
<p id="test-status" role="status"></p></div>
<div id="test-answer" hidden>
${codeBlock('sent-request', 'Request', '')}\
${codeBlock('answer-body', 'Response', '', choices('view-choice', 'View', 'view', VIEWS))}<details>
<summary>Headers of the response</summary>
<pre id="answer-headers" tabindex="0" role="group" aria-label="Headers of the response"></pre></details>
</div>
</form>
<script type="application/json" id="test-requests">${requestsJson(file, samples)}</script>
`;
}

// The requests of the samples, cut at the form's values. Only the `<` of a closing script tag could end the
// element.
function requestsJson(file: string, samples: readonly BindingSample[]): Html {
  const requests = samples.map(({ binding, method, target, contentType, soapAction, body }) => {
    const headers = {
      ...(contentType !== undefined && { 'Content-Type': contentType }),
      ...(soapAction !== undefined && { SOAPAction: soapAction }),
    };
    const url = pieces(file + target);
    const request: FormRequest = { method, url, headers, body: body ? pieces(body.inOneLine) : null };
    return [binding, request] as const;
  });
  return new Html(JSON.stringify(Object.fromEntries(requests)).replaceAll('<', '\\u003c'));
}

function pieces(marked: string): readonly Piece[] {
  return new MessageTemplate(marked).parts.map((part) =>
    typeof part === 'string' ? part : { parameter: part.parameter ?? '', type: part.placeholder },
  );
}
