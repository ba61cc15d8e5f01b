import type { IncomingMessage, ServerResponse } from 'node:http';

/** A whole HTTP answer, ready to be written. */
export interface HttpResponse {
  readonly status: number;
  /** Names and values in turn, without Content-Length. */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
  /** Why the caller gets no result, for the log: words of the program and the contract alone, never the caller's. */
  readonly reason?: string;
  /** To be called when the body is written, and never if it is not: gives its memory back. */
  readonly release?: () => void;
}

const VERSION = ['X-AspNet-Version', '4.0.30319'] as const;

/** Cache-Control of answers, and of errors found before an operation ran (wire contract, section 2.6). */
export const CACHE_RESULT = 'private, max-age=0';
export const CACHE_ERROR = 'private';

// Text that a caller sent may stand in these answers: no browser shall take them for anything else.
const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;
const POLICY = 'Content-Security-Policy';
/** Of a text nothing is loaded or run, whatever a browser takes it for. */
const TEXT_POLICY = [POLICY, "default-src 'none'; frame-ancestors 'none'"] as const;

/** ASP.NET's words where it has no room for a request, and when to try again, in seconds. */
export const TOO_BUSY = 'Server Too Busy';
export const RETRY_SOON = ['Retry-After', '5'] as const;

/** Builds the header list of an answer. */
export function responseHeaders(cacheControl: string, contentType: string | undefined): readonly string[] {
  const common = ['Cache-Control', cacheControl, ...VERSION];
  return contentType === undefined ? common : [...common, 'Content-Type', contentType];
}

/** Header lists of a plain-text answer. */
export function textHeaders(cacheControl: string): readonly string[] {
  return [...responseHeaders(cacheControl, 'text/plain; charset=utf-8'), ...NOSNIFF, ...TEXT_POLICY];
}

/** Header list of a page. */
export function pageHeaders(cacheControl: string, policy: string): readonly string[] {
  return [
    ...responseHeaders(cacheControl, 'text/html; charset=utf-8'),
    ...NOSNIFF,
    POLICY,
    policy,
    'Referrer-Policy',
    'no-referrer',
  ];
}

/**
 * Writes an answer. A text goes out in one piece with the head, which spares a second buffer; one that is all
 * ASCII is not even encoded.
 */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body, release }: HttpResponse,
): void {
  const length = Buffer.byteLength(body);
  // A 204 has no length (RFC 9110, section 8.6).
  response.writeHead(status, status === 204 ? [...headers] : [...headers, 'Content-Length', String(length)]);
  response.end(body, length === body.length ? 'latin1' : 'utf8');
  if (release === undefined) return;
  // Mostly the system takes an answer at once; what it leaves is Node's until the response is finished.
  if (response.writableLength === 0) release();
  else response.once('finish', release);
}

// A sender in the middle of its body reads the answer only if the connection stays whole for a moment.
const LINGER_MS = 1000;
/** How much is read meanwhile, and dropped: a fast sender without end would have hundreds of MB read. */
export const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/**
 * Answers a request whose body is not read to its end, and closes the connection. What still arrives is
 * dropped for a moment, so that the answer is not lost to a connection reset.
 */
export function refuseBody(request: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
  response.writeHead(answer.status, [
    ...answer.headers,
    'Content-Length',
    String(Buffer.byteLength(answer.body)),
    'Connection',
    'close',
  ]);
  let dropped = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', drop);
    response.end();
  };
  const drop = (piece: Buffer): void => {
    dropped += piece.length;
    if (dropped <= MAX_DROPPED_BYTES) return;
    request.pause();
    end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.write(answer.body);
  request.once('end', end);
  request.once('close', end);
  request.on('data', drop);
  request.resume();
}
