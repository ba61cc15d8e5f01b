import type { Dispatcher, EnvHttpProxyAgent, request } from 'undici';

import type { ProxyOptions } from '../../config';
import type { Reason, TraceContext } from '../../store';
import { errorWord } from '../../support/errors';
import { readBody } from './response-body';
import type { Reach } from './transport';

export interface ProviderRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  /** Trace context, sent as headers. */
  readonly trace?: TraceContext | undefined;
}

export interface ProviderResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Delay that the provider requests, in milliseconds, if any. */
  readonly retryAfterMs: number | undefined;
  /** Undefined if it is incomplete, too long, or in an unknown encoding. */
  readonly body: string | undefined;
}

export type ProviderResult =
  | ProviderResponse
  /** Nothing was sent: the provider cannot have the message. */
  | { readonly kind: 'not-written'; readonly reason: Reason }
  /** The provider may or may not have read the request. */
  | { readonly kind: 'no-response'; readonly reason: Reason };

/** Observes requests and answers, unmasked. */
export interface Watch {
  readonly request: (request: ProviderRequest) => void;
  readonly response: (response: ProviderResponse) => void;
}
/** Time until an idle connection is closed if the server announces none, in milliseconds. */
const KEEP_ALIVE_MS = 1000;
/** Time by which an idle connection is closed before the end that the server announces, in milliseconds. */
const KEEP_ALIVE_MARGIN_MS = 1000;

/** Aborts a check once the connection is established. */
class Reached extends Error {}

export interface Connections {
  readonly maximum: number;
  /**
   * True if a connection may carry several requests. A server may close an idle connection at the very moment
   * of the next request, and then it is unknown whether it read that request: only repeatable requests may
   * take the risk.
   */
  readonly areReused: boolean;
}

/** Sends requests to providers, and knows for each failure whether the request had been written. */
export class ProviderClient {
  readonly #library: Promise<Undici>;
  readonly #areReused: boolean;
  readonly #watch: Watch | undefined;

  /**
   * @param proxy - proxy for requests
   * @param watch - called for each request and response; default: none
   */
  constructor({ maximum, areReused }: Connections, proxy: ProxyOptions, watch?: Watch) {
    this.#areReused = areReused;
    this.#watch = watch;
    this.#library = loadLibrary({ maximum, areReused }, proxy);
  }

  async ask(asked: ProviderRequest, signal: AbortSignal): Promise<ProviderResult> {
    const { url, method, headers, body, trace } = asked;
    this.#watch?.request(asked);
    let progress: Progress = 'not-written';
    const { agent, request } = await this.#library;
    const dispatcher = watched(agent, () => {
      progress = 'no-response';
    });
    try {
      const response = await request(url, {
        dispatcher,
        method,
        headers: { ...withoutCompression(headers), ...(trace !== undefined && traceHeaders(trace)) },
        body: body ?? null,
        // Closes the connection after the answer, also one to a proxy.
        reset: !this.#areReused,
        signal,
      });
      const answer: ProviderResponse = {
        kind: 'response',
        status: response.statusCode,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
        body: await readBody(response).catch(() => undefined),
      };
      this.#watch?.response(answer);
      return answer;
    } catch (error) {
      const status = proxyStatus(error);
      if (status === undefined) return { kind: progress, reason: failureReason(error, signal, progress) };
      return { kind: 'not-written', reason: { code: 'proxy_refused', status } };
    }
  }

  /** Connects to the server of a URL, as for a request, but sends none. */
  async reach(url: string, withinMs: number): Promise<Reach> {
    const { agent, request } = await this.#library;
    const { protocol, hostname, port } = new URL(url);
    const isTls = protocol === 'https:';
    const place = `${hostname}:${port || (isTls ? '443' : '80')}`;
    const dispatcher = watched(agent, (controller) => {
      // A request aborted before it is written is never sent.
      controller.abort(new Reached());
    });
    try {
      await request(url, { dispatcher, method: 'GET', signal: AbortSignal.timeout(withinMs) });
    } catch (error) {
      if (error instanceof Reached) {
        return { isReached: true, what: `a connection${isTls ? ' over TLS' : ''} to ${place}` };
      }
      const status = proxyStatus(error);
      const why = status === undefined ? errorWord(error) : `the proxy answered ${String(status)}`;
      return { isReached: false, what: `The connection to ${place} failed (${why}).` };
    }
    throw new Error('Received a response to a request that was aborted before it was sent');
  }

  async close(): Promise<void> {
    await (await this.#library).agent.destroy();
  }
}

/** How far a request without a response got. */
type Progress = Exclude<ProviderResult['kind'], 'response'>;

/** The parts of undici in use; loaded only by a service that sends through a provider. */
interface Undici {
  readonly agent: EnvHttpProxyAgent;
  readonly request: typeof request;
}

async function loadLibrary({ maximum, areReused }: Connections, proxy: ProxyOptions): Promise<Undici> {
  const { EnvHttpProxyAgent, request } = await import('undici');
  const agent = new EnvHttpProxyAgent({
    ...proxy,
    connections: maximum,
    // The system's probes of idle connections.
    connect: { keepAlive: areReused },
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    // The signal limits the times.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, request };
}

/** Returns the status of a proxy that refused the connection: nothing was sent to the provider then. */
function proxyStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Asks for uncompressed answers; compressed ones are read all the same. */
function withoutCompression(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isSet = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding');
  return isSet ? headers : { ...headers, 'Accept-Encoding': 'identity' };
}

function traceHeaders({ traceparent, tracestate }: TraceContext): Readonly<Record<string, string>> {
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

/** Calls back when a request is written to its connection: before that, the server cannot have read it. */
function watched(
  agent: Dispatcher,
  onWriting: (controller: Dispatcher.DispatchController) => void,
): Dispatcher {
  return agent.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart: (controller, context) => {
          handler.onRequestStart?.(controller, context);
          onWriting(controller);
        },
        onRequestUpgrade: (...all) => handler.onRequestUpgrade?.(...all),
        onResponseStart: (...all) => handler.onResponseStart?.(...all),
        onResponseData: (...all) => handler.onResponseData?.(...all),
        onResponseEnd: (...all) => handler.onResponseEnd?.(...all),
        onResponseError: (...all) => handler.onResponseError?.(...all),
      }),
  );
}

/** Parses seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Returns the code of an error, never its message, which may contain an address with parts of a text. */
function failureReason(error: unknown, signal: AbortSignal, progress: Progress): Reason {
  if (signal.aborted) return { code: 'provider_timeout' };
  return {
    code: progress === 'not-written' ? 'connection_failed' : 'connection_closed',
    error: errorWord(error),
  };
}

/** Returns true if the status says that the provider accepted the message. */
export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}
