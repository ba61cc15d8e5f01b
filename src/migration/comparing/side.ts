import type { Pool } from 'undici';

import { systemErrorCode } from '../../support/errors';
import { type Header, headersOf, type HttpAnswer, type HttpRequest, pairsOf, tokensOf } from '../messages';
import { inflate } from '../verdict/inflate';

/** What a connection, or who forwards, has to say; and what the side that is asked is told anew. */
const OF_THE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'expect', 'host', 'content-length', 'forwarded', 'via', 'x-real-ip'],
];
/** Whose they are is nobody's business, and the new side does not know them: each side has its own. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];
/** Answers that are packed, in parts or left out for a cache cannot be compared. */
const SHORTER_ANSWERS = [
  ...['accept-encoding', 'range', 'if-range', 'if-match', 'if-none-match'],
  ...['if-modified-since', 'if-unmodified-since'],
];
const LEFT_OUT = new Set([...OF_THE_CONNECTION, ...CREDENTIALS, ...SHORTER_ANSWERS]);

/**
 * The headers with which a recorded request is sent again: without those of its connection, credentials, and what asks
 * for less than the whole answer.
 *
 * @param own - headers for the side that is asked, which stand for those of the same name
 */
function sendableHeaders(headers: readonly Header[], own: readonly Header[]): readonly Header[] {
  const named = headersOf({ headers }, 'connection').flatMap(tokensOf);
  const replaced = own.map(([name]) => name.toLowerCase());
  const kept = headers.filter(([name]) => {
    const key = name.toLowerCase();
    return !LEFT_OUT.has(key) && !key.startsWith('x-forwarded-') && ![...named, ...replaced].includes(key);
  });
  return [...kept, ...own];
}

/** One of the two servers, and how it is asked. */
export interface SideOptions {
  /** Its address; a path is put before every target. */
  readonly url: URL;
  /** Sent with every request, instead of those of the same name in it. */
  readonly headers: readonly Header[];
  /** Certificates of who signs those of servers, in PEM; undefined for those that Node knows. */
  readonly ca: string | undefined;
  /** How long an answer may take until its last byte. */
  readonly milliseconds: number;
  /** How many bytes the body of an answer may have. */
  readonly bytes: number;
  /** How many requests are under way at once, at most. */
  readonly connections: number;
}

/** What came of a request; a failure is one line without personal data. */
export type Asked =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'failure'; readonly reason: string };

/** A compressed answer that would be longer is compared as it came. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

/** The reason of an end because the time is over. */
const LATE = Symbol('late');

/** A server that requests are sent to. */
export class Side {
  readonly #options: SideOptions;
  readonly #pool: Pool;

  private constructor(options: SideOptions, pool: Pool) {
    this.#options = options;
    this.#pool = pool;
  }

  static async open(options: SideOptions): Promise<Side> {
    const { Pool: UndiciPool } = await import('undici');
    const { ca, bytes, connections, milliseconds, url } = options;
    const pool = new UndiciPool(url.origin, {
      connections,
      pipelining: 1,
      maxResponseSize: bytes,
      connect: { timeout: milliseconds, ...(ca !== undefined && { ca }) },
      // The signal of a request bounds all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return new Side(options, pool);
  }

  /** Scheme, host, port and the path before every target, without a slash at its end: as its documents name it. */
  get address(): string {
    const { origin, pathname } = this.#options.url;
    return origin + pathname.replace(/(?<!\/)\/+$/, '');
  }

  /**
   * Sends a request, and takes the answer as it is, inflated: no redirect is followed.
   *
   * @throws what the signal's reason is, where that ends it
   */
  async ask({ method, target, headers, body }: HttpRequest, signal: AbortSignal): Promise<Asked> {
    signal.throwIfAborted();
    const { milliseconds, url } = this.#options;
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
    };
    const timer = setTimeout(() => {
      ending.abort(LATE);
    }, milliseconds);
    // AbortSignal.any would leave something of every request with the signal that outlives them.
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
      // undici types raw headers as the object that they are otherwise.
      const answer = { status: statusCode, headers: pairsOf(raw as unknown as string[]), body: answered };
      // One that is too long is compared as it came.
      return { kind: 'answer', answer: (await inflate(answer, MAX_INFLATED_BYTES)) ?? answer };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failure', reason: ending.signal.reason === LATE ? this.#lateness() : reasonOf(error) };
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

function reasonOf(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === undefined) throw error;
  return REASONS[code] ?? (code.startsWith('HPE_') ? 'response is not HTTP' : code);
}
