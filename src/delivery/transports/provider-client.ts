import type { Agent, buildConnector, Dispatcher, request } from 'undici';

import { errorWord } from '../../errors';
import type { TraceContext } from '../../store';
import type { Outcome } from '../outcome';
import type { Reach } from './transport';

export interface ProviderRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** What the request is a part of; goes along as headers. */
  readonly trace?: TraceContext | undefined;
}

export interface ProviderResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Milliseconds that the provider asks to wait, if it does. */
  readonly retryAfterMs: number | undefined;
  /** Undefined where the connection ended before the whole of it came. */
  readonly body: string | undefined;
}

export type ProviderResult =
  | ProviderResponse
  /** Nothing was sent: the provider cannot have the message. `reason` is one line, without personal data. */
  | { readonly kind: 'not-written'; readonly reason: string }
  /** The provider may have read the request, or not. */
  | { readonly kind: 'no-response'; readonly reason: string };

/** What a provider answered, as it is. */
export type OnResponse = (response: ProviderResponse) => void;

/** Answers to one message have a few hundred bytes; SMS_HTTP_SUCCESS is looked for in the whole of them. */
const LONGEST_RESPONSE_BYTES = 64 * 1024;
/**
 * Idle connections are closed before servers usually do: a request that is written just when the server closes
 * leaves it open whether it was read.
 */
const KEEP_ALIVE_MS = 4000;

/** Asks providers over kept connections, and knows of each failure whether the request had been written. */
export class ProviderClient {
  readonly #library: Promise<Library>;
  readonly #onResponse: OnResponse;

  /**
   * @param connections - most connections at once
   * @param onResponse - told of what comes back, as it is
   */
  constructor(connections: number, onResponse: OnResponse = () => undefined) {
    this.#onResponse = onResponse;
    this.#library = loadLibrary(connections);
  }

  async ask(
    { url, method, headers, body, trace }: ProviderRequest,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    let progress: 'not-written' | 'no-response' = 'not-written';
    const { agent, request } = await this.#library;
    const dispatcher = agent.compose(
      (dispatch) => (options, handler) =>
        dispatch(
          options,
          telling(handler, () => {
            progress = 'no-response';
          }),
        ),
    );
    try {
      const response = await request(url, {
        dispatcher,
        method,
        headers: trace === undefined ? headers : { ...headers, ...traceHeaders(trace) },
        body: body ?? null,
        signal,
      });
      const answer: ProviderResponse = {
        kind: 'response',
        status: response.statusCode,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
        body: await response.body.text().catch(() => undefined),
      };
      this.#onResponse(answer);
      return answer;
    } catch (error) {
      return { kind: progress, reason: reasonOf(error, signal) };
    }
  }

  /** Connects to where a URL leads, as a request would, and sends none. */
  async reach(url: string, withinMs: number): Promise<Reach> {
    const { buildConnector } = await this.#library;
    const { protocol, hostname, port } = new URL(url);
    const isTls = protocol === 'https:';
    const place = `${hostname}:${port || (isTls ? '443' : '80')}`;
    const connect = buildConnector({ timeout: withinMs });
    return new Promise((resolve) => {
      connect({ protocol, hostname, port }, (error, socket) => {
        socket?.destroy();
        resolve(
          error === null
            ? { isReached: true, what: `a connection${isTls ? ' over TLS' : ''} to ${place}` }
            : { isReached: false, what: `The connection to ${place} failed (${errorWord(error)}).` },
        );
      });
    });
  }

  async close(): Promise<void> {
    await (await this.#library).agent.destroy();
  }
}

/** What is used of undici; a service that sends through no provider does without loading it. */
interface Library {
  readonly agent: Agent;
  readonly request: typeof request;
  readonly buildConnector: typeof buildConnector;
}

async function loadLibrary(connections: number): Promise<Library> {
  const { Agent, buildConnector, request } = await import('undici');
  const agent = new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: LONGEST_RESPONSE_BYTES,
    // Times are bounded by the signal.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, request, buildConnector };
}

function traceHeaders({ traceparent, tracestate }: TraceContext): Readonly<Record<string, string>> {
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
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

/** What any result but a success means for the message. `detail` is the provider's code of the error, if known. */
export function failureOutcome(result: ProviderResult, detail = ''): Outcome {
  switch (result.kind) {
    case 'not-written':
      return { kind: 'failing', reason: result.reason };
    case 'no-response':
      return { kind: 'unknown', reason: result.reason };
    case 'response': {
      const reason = `The provider answered ${String(result.status)}${detail && ` ${detail}`}.`;
      const { status, retryAfterMs } = result;
      if (status === 429) return { kind: 'busy', reason, retryAfterMs, status };
      if (status >= 500) return { kind: 'failing', reason, retryAfterMs, status };
      return { kind: 'refused', reason, status };
    }
  }
}

/** Whether the provider took the message, as far as the status tells. */
export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}
