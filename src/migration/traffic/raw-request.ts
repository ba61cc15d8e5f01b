import { type Header, headerOf, type HttpRequest } from '../messages';

const REQUEST_LINE = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;
const HEADER_LINE = /^([^\s:]+):(.*)$/;
const AROUND_VALUE = /^[\t ]+|(?<![\t ])[\t ]+$/g;
const CHUNK_LINE = /^([\da-f]{1,8})[\t ]*(?:;.*)?$/i;

/**
 * A request as it went over a connection: head, empty line, body; its transfer encoding is taken off.
 *
 * @returns what is wrong with it where it is none
 */
export function readRawRequest(bytes: Buffer): HttpRequest | string {
  const head = headOf(bytes);
  if (head === undefined) return 'has a head without an end';
  const [first = '', ...lines] = head.text.split(/\r?\n/);
  const [, method, target] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) return 'does not begin with a request line';
  const headers: Header[] = [];
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return 'has a line in its head that is no header';
    headers.push([name, value.replace(AROUND_VALUE, '')]);
  }
  const body = bodyOf(headers, bytes.subarray(head.length));
  return body === undefined ? 'has a body that is cut off' : { method, target, headers, body };
}

function headOf(bytes: Buffer): { readonly text: string; readonly length: number } | undefined {
  const [end] = ['\r\n\r\n', '\n\n']
    .map((mark) => ({ mark, at: bytes.indexOf(mark) }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at);
  return end && { text: bytes.toString('latin1', 0, end.at), length: end.at + end.mark.length };
}

function bodyOf(headers: readonly Header[], rest: Buffer): Buffer | undefined {
  if (/\bchunked\b/i.test(headerOf({ headers }, 'transfer-encoding') ?? '')) return withoutChunks(rest);
  const length = Number(headerOf({ headers }, 'content-length') ?? 0);
  return length <= rest.length ? rest.subarray(0, length) : undefined;
}

function withoutChunks(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = rest.indexOf('\r\n', at);
    const size = end === -1 ? undefined : CHUNK_LINE.exec(rest.toString('latin1', at, end))?.[1];
    if (size === undefined) return undefined;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    at = end + 2 + length + 2;
    if (at > rest.length) return undefined;
    chunks.push(rest.subarray(end + 2, end + 2 + length));
  }
}
