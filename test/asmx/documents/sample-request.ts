import type { Binding } from '../../../src/asmx';
import type { RawRequest } from '../../../scripts/harness';
import { plain } from './read-page';

const CHARACTER = { soap11: '89', soap12: '89', get: 'Y', post: 'Y' } as const;

/**
 * Fills the placeholders of a sample request, as the page asks its reader to, and reads it as a request.
 *
 * @param markup the sample with its placeholders marked, or as copied text
 * @param value what stands for every string
 */
export function fillSample(markup: string, binding: Binding, value: string): RawRequest {
  const filled = markup
    .replace(/<var>string<\/var>|(?<=[>=])string(?=[<&\s]|$)/g, value)
    .replace(/<var>char<\/var>|(?<=[>=])char(?=[<&\s]|$)/g, CHARACTER[binding]);
  return readRequest(markup.includes('<var>') || markup.includes('&lt;') ? plain(filled) : filled);
}

/** Reads a message of a page as a request; its length is left to whoever sends it. */
export function readRequest(text: string): RawRequest {
  const [head = '', ...rest] = text.split('\n\n');
  const [requestLine = '', ...lines] = head.split('\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = lines
    .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    .filter(([name]) => name !== 'Content-Length');
  const body = rest.join('\n\n');
  return method === 'GET' ? { method, path, headers } : { method, path, headers, body };
}
