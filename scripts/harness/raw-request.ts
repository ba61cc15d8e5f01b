export type Header = readonly [name: string, value: string];

/** One HTTP request as it shall stand on the wire. */
export interface RawRequest {
  /** POST where a body is given, else GET. Any token, also one no HTTP library would send. */
  readonly method?: string;
  /** Request target, sent as it stands. */
  readonly path: string;
  readonly headers?: readonly Header[];
  /** A string is sent as UTF-8. */
  readonly body?: string | Uint8Array;
  readonly httpVersion?: '1.0' | '1.1';
  /** The connection is for more than this request: `Connection: close` is left out. */
  readonly keepAlive?: boolean;
}

/** Methods whose requests announce their length even without a body. */
const METHODS_WITH_LENGTH: readonly string[] = ['POST', 'PUT', 'PATCH'];

/**
 * Writes a request down as bytes. Host, Content-Length and `Connection: close` are added unless the request
 * brings its own or its connection is to be kept; a Transfer-Encoding keeps Content-Length out. The head is latin1: one character, one byte.
 */
export function formatRequest(request: RawRequest, host: string): Buffer {
  const body = Buffer.from(request.body ?? '');
  const method = request.method ?? (request.body === undefined ? 'GET' : 'POST');
  const given = request.headers ?? [];
  const has = (name: string): boolean => given.some(([key]) => key.toLowerCase() === name);

  const headers: Header[] = has('host') ? [...given] : [['Host', host], ...given];
  const needsLength = request.body !== undefined || METHODS_WITH_LENGTH.includes(method);
  if (needsLength && !has('content-length') && !has('transfer-encoding')) {
    headers.push(['Content-Length', String(body.length)]);
  }
  if (request.keepAlive !== true && !has('connection')) headers.push(['Connection', 'close']);

  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `${method} ${request.path} HTTP/${request.httpVersion ?? '1.1'}\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** The request with more headers. */
export function withHeaders(request: RawRequest, ...headers: readonly Header[]): RawRequest {
  return { ...request, headers: [...(request.headers ?? []), ...headers] };
}

/** A POST up to its body, with more headers; what of a body follows is the caller's business. */
export function headOf({ path, headers }: RawRequest, ...more: readonly Header[]): RawRequest {
  return withHeaders({ method: 'POST', path, headers: headers ?? [] }, ...more);
}

/** Writes a body in chunks of the chunked transfer coding, with the closing chunk. */
export function chunked(...parts: readonly string[]): string {
  return [...parts, ''].map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('');
}
