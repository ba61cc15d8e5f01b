/** One HTTP response as it stood on the wire. */
export class RawResponse {
  constructor(
    readonly httpVersion: string,
    readonly status: number,
    readonly reason: string,
    /** In order of arrival, names in their own letter case. */
    readonly headers: readonly (readonly [name: string, value: string])[],
    /** Transfer coding removed. */
    readonly body: Buffer,
  ) {}

  /** The body as UTF-8. */
  get text(): string {
    return this.body.toString('utf8');
  }

  /** The value of a header, or undefined; several of one name are joined with `, `. */
  header(name: string): string | undefined {
    const values = this.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
    return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ');
  }
}

export interface ParsedResponse {
  readonly response: RawResponse;
  /** Bytes of the input that belong to the response. */
  readonly length: number;
}

/**
 * Reads the first response out of the bytes received so far; undefined while it is incomplete.
 *
 * @param ended - whether the server has closed its side: the end of a body without a declared length
 * @param bodiless - whether the request was a HEAD, whose answer has no body whatever its headers say
 * @throws Error when the bytes are no HTTP response
 */
export function parseResponse(bytes: Buffer, ended: boolean, bodiless: boolean): ParsedResponse | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;

  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const match = /^HTTP\/(\d\.\d) (\d{3}) ?(.*)$/.exec(statusLine);
  if (match === null) throw new Error(`No HTTP status line: ${JSON.stringify(statusLine)}`);
  const [, version = '', status = '', reason = ''] = match;

  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const head = new RawResponse(version, Number(status), reason, headers, Buffer.alloc(0));
  const body = readBody(bytes.subarray(headEnd + 4), head, ended, bodiless);
  if (body === undefined) return undefined;

  const response = new RawResponse(version, head.status, reason, headers, body.content);
  return { response, length: headEnd + 4 + body.length };
}

interface Body {
  readonly content: Buffer;
  /** Bytes on the wire, transfer coding included. */
  readonly length: number;
}

function readBody(bytes: Buffer, head: RawResponse, ended: boolean, bodiless: boolean): Body | undefined {
  if (bodiless || head.status < 200 || head.status === 204 || head.status === 304) {
    return { content: Buffer.alloc(0), length: 0 };
  }
  if (head.header('Transfer-Encoding')?.toLowerCase() === 'chunked') return readChunks(bytes);

  const declared = head.header('Content-Length');
  if (declared === undefined) return ended ? { content: bytes, length: bytes.length } : undefined;
  const length = Number(declared);
  return bytes.length < length ? undefined : { content: bytes.subarray(0, length), length };
}

function readChunks(bytes: Buffer): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('Chunk without a size');
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return { content: Buffer.concat(chunks), length: start + 2 };
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
