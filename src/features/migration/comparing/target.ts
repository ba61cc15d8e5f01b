import type { Pool } from 'undici';

import { systemErrorCode } from '../../../support/errors';
import {
  type Header,
  findHeaders,
  type HttpAnswer,
  type HttpRequest,
  toPairs,
  parseTokens,
} from '../messages';
import { inflate } from '../verdict/inflate';

/** Headers of a connection or of a proxy, and those set again for the target server. */
const OF_THE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'expect', 'host', 'content-length', 'forwarded', 'via', 'x-real-ip'],
];
/**
 * Headers with credentials: recorded ones are private, and unknown to the new server; each server gets its
 * own.
 */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];
/** Headers that allow compressed, partial or omitted answers, which cannot be compared. */
const SHORTER_ANSWERS = [
  ...['accept-encoding', 'range', 'if-range', 'if-match', 'if-none-match'],
  ...['if-modified-since', 'if-unmodified-since'],
];
const LEFT_OUT = new Set([...OF_THE_CONNECTION, ...CREDENTIALS, ...SHORTER_ANSWERS]);

/**
 * Returns the headers for sending a recorded request again: without those of its connection, credentials, and
 * requests for less than the whole answer.
 *
 * @param own - headers for the target server, which replace those of the same name
 */
function sendableHeaders(headers: readonly Header[], own: readonly Header[]): readonly Header[] {
  const named = findHeaders({ headers }, 'connection').flatMap(parseTokens);
  const replaced = own.map(([name]) => name.toLowerCase());
  const kept = headers.filter(([name]) => {
    const key = name.toLowerCase();
    return !LEFT_OUT.has(key) && !key.startsWith('x-forwarded-') && ![...named, ...replaced].includes(key);
  });
  return [...kept, ...own];
}

/** One of the two servers, and how to reach it. */
export interface TargetOptions {
  /** Its address; a path in it is prepended to every target. */
  readonly url: URL;
  /** Headers sent with every request, replacing its own of the same name. */
  readonly headers: readonly Header[];
  /** CA certificates in PEM; undefined for those known to Node. */
  readonly ca: string | undefined;
  /** Time limit for a complete answer, in milliseconds. */
  readonly milliseconds: number;
  /** Maximum size of an answer's body, in bytes. */
  readonly bytes: number;
  /** Maximum number of concurrent requests. */
  readonly connections: number;
}

/** Result of a request; a failure is one line without personal data. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'failure'; readonly reason: string };

/** A compressed answer that would exceed this size is compared as received. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

/** Abort reason at the time limit. */
const LATE = Symbol('late');

/** A server to send requests to. */
export class Target {
  readonly #options: TargetOptions;
  readonly #pool: Pool;

  private constructor(options: TargetOptions, pool: Pool) {
    this.#options = options;
    this.#pool = pool;
  }

  static async open(options: TargetOptions): Promise<Target> {
    const { Pool: UndiciPool } = await import('undici');
    const { ca, bytes, connections, milliseconds, url } = options;
    const pool = new UndiciPool(url.origin, {
      connections,
      pipelining: 1,
      maxResponseSize: bytes,
      connect: { timeout: milliseconds, ...(ca !== undefined && { ca }) },
      // The request's signal limits its total time.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return new Target(options, pool);
  }

  /** Scheme, host, port and base path, without a trailing slash: the form in the server's documents. */
  get address(): string {
    const { origin, pathname } = this.#options.url;
    return origin + pathname.replace(/(?<!\/)\/+$/, '');
  }

  /**
   * Sends a request and returns the answer, decompressed, without following redirects.
   *
   * @throws the signal's reason, if it ends the request
   */
  async ask({ method, target, headers, body }: HttpRequest, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    const { milliseconds, url } = this.#options;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const timer = setTimeout(() => ending.abort(LATE), milliseconds);
    // AbortSignal.any would leak memory in the longer-lived signal for every request.
    signal.addEventListener('abort', end);
    try {
      const {
        statusCode,
        headers: raw,
        body: stream,
      } = await this.#pool.request({
        path: this.address.slice(url.origin.length) + target,
        method,
        headers: sendableHeaders(headers, this.#options.headers).flat(),
        body: body.length === 0 ? null : body,
        signal: ending.signal,
        responseHeaders: 'raw',
      });
      const answered = Buffer.from(await stream.arrayBuffer());
      // undici types raw headers as the object of its parsed form.
      const answer = { status: statusCode, headers: toPairs(raw as unknown as string[]), body: answered };
      // An answer that would be too long is compared as received.
      return { kind: 'answer', answer: (await inflate(answer, MAX_INFLATED_BYTES)) ?? answer };
    } catch (error) {
      signal.throwIfAborted();
      return {
        kind: 'failure',
        reason: ending.signal.reason === LATE ? this.#lateness() : describeError(error),
      };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #lateness(): string {
    return `no complete response within ${String(this.#options.milliseconds / 1000)} s`;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'connection closed before the end of the response',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'response too long',
  UND_ERR_HEADERS_OVERFLOW: 'response head too long',
  UND_ERR_CONNECT_TIMEOUT: 'connection timeout',
};

function describeError(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === undefined) throw error;
  return REASONS[code] ?? (code.startsWith('HPE_') ? 'response is not HTTP' : code);
}
