import { inlineText } from './html';

/** Sends what the test form says, to this server only, and shows what comes back. */
export const TEST_FORM_SCRIPT = inlineText(String.raw`
(() => {
  'use strict';
  const part = (id) => document.getElementById(id);
  const form = part('test-form');
  const requests = JSON.parse(part('test-requests').textContent);

  const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escapeXml = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

  // Over SOAP a char is the decimal number of its one UTF-16 unit. Whatever else was typed is sent as it is: the
  // service's own error tells more than a refusal here.
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

  const prettyPrint = (text, contentType) => {
    if (text === '' || !/xml/.test(contentType)) return text;
    const parsed = new DOMParser().parseFromString(text, 'text/xml');
    if (parsed.getElementsByTagName('parsererror').length > 0) return text;
    return '<?xml version="1.0" encoding="utf-8"?>\n' + writeElement(parsed.documentElement, 0);
  };

  const show = (id, text) => {
    part(id).textContent = text === '' ? '(nothing)' : text;
  };

  const call = async (binding) => {
    const { method, url, headers, body } = requests[binding];
    const encode = binding.startsWith('soap') ? encodeForSoap : encodeURIComponent;
    const started = performance.now();
    const response = await fetch(fill(url, encode), {
      method,
      headers,
      body: body === null ? undefined : fill(body, encode),
      cache: 'no-store',
      redirect: 'error',
    });
    const bytes = await response.arrayBuffer();
    const took = Math.round(performance.now() - started);
    const text = new TextDecoder().decode(bytes);
    const status = part('test-status');
    status.textContent =
      'HTTP ' + response.status + ' ' + response.statusText + ', ' + bytes.byteLength + ' bytes in ' + took + ' ms';
    status.className = response.ok ? 'good' : 'bad';
    show('answer-headers', [...response.headers].map(([name, value]) => name + ': ' + value).join('\n'));
    show('answer-pretty', prettyPrint(text, response.headers.get('content-type') ?? ''));
    show('answer-raw', text);
    part('test-answer').hidden = false;
  };

  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    button.disabled = true;
    part('test-answer').hidden = true;
    part('test-status').textContent = '';
    try {
      await call(new FormData(form).get('binding'));
    } catch (error) {
      const status = part('test-status');
      status.textContent = 'No answer: ' + error.message;
      status.className = 'bad';
    } finally {
      button.disabled = false;
    }
  });
})();
`);
