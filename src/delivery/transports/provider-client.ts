import { Agent, type Dispatcher, request } from 'undici';

import { errorWord } from '../../errors';

export interface ProviderRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface ProviderAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Milliseconds that the provider asks to wait, if it does. */
  readonly retryAfterMs: number | undefined;
  /** Undefined where the connection ended before the whole of it came. */
  readonly body: string | undefined;
}

export type ProviderReply =
  | ProviderAnswer
  /** Nothing was sent: the provider cannot have the message. `reason` is one line, without personal data. */
  | { readonly kind: 'not-written'; readonly reason: string }
  /** The provider may have read the request, or not. */
  | { readonly kind: 'no-answer'; readonly reason: string };

const LONGEST_ANSWER_BYTES = 256 * 1024;
/**
 * Idle connections are closed before servers usually do: a request that is written just when the server closes
 * leaves it open whether it was read.
 */
const KEEP_ALIVE_MS = 4000;

/** Asks providers over kept connections, and knows of each failure whether the request had been written. */
export class ProviderClient {
  readonly #agent: Agent;

  /** @param connections - most connections at once */
  constructor(connections: number) {
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: LONGEST_ANSWER_BYTES,
      // Times are bounded by the signal.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async ask({ url, method, headers, body }: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> {
    let progress: 'not-written' | 'no-answer' = 'not-written';
    const dispatcher = this.#agent.compose(
      (dispatch) => (options, handler) =>
        dispatch(
          options,
          telling(handler, () => {
            progress = 'no-answer';
          }),
        ),
    );
    try {
      const answer = await request(url, {
        dispatcher,
        method,
        headers,
        body: body ?? null,
        signal,
      });
      return {
        kind: 'answer',
        status: answer.statusCode,
        retryAfterMs: retryAfterMs(answer.headers['retry-after']),
        body: await answer.body.text().catch(() => undefined),
      };
    } catch (error) {
      return { kind: progress, reason: reasonOf(error, signal) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Tells when a request is written to its connection: before that, nobody can have read it. */
function telling(handler: Dispatcher.DispatchHandler, onWritten: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      onWritten();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...all) => handler.onRequestUpgrade?.(...all),
    onResponseStart: (...all) => handler.onResponseStart?.(...all),
    onResponseData: (...all) => handler.onResponseData?.(...all),
    onResponseEnd: (...all) => handler.onResponseEnd?.(...all),
    onResponseError: (...all) => handler.onResponseError?.(...all),
  };
}

/** In seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Codes, never messages: those may hold addresses, and addresses may hold a message. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'The provider did not answer in time.';
  return `The connection to the provider failed (${errorWord(error)}).`;
}
