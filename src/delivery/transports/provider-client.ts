import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

import type { Dispatcher, EnvHttpProxyAgent, request } from 'undici';

import type { ProxyOptions } from '../../config';
import type { Reason, TraceContext } from '../../store';
import { type Decode, decoderOf } from '../../support/content-codings';
import { errorWord } from '../../support/errors';
import type { Outcome } from '../outcome';

/** A way to one kind of provider. Adding one is a file here and a row in `create-transports.ts`. */
export interface Transport<Message> {
  /** As it is called in settings and log. */
  readonly name: string;
  /**
   * Hands one message to the provider. Resolves in any case, and soon once the signal is aborted; only a
   * defect rejects.
   */
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /** Ends what is open; to be called when nothing is under way. */
  close(): Promise<void>;
}

/** Whether a provider can be asked, as far as can be told without sending anything. */
export interface Reach {
  readonly isReached: boolean;
  /** One line: what was reached, or why it was not. */
  readonly what: string;
}

/** A way to a provider of which one can find out whether it is there. */
export interface ReachableTransport<Message> extends Transport<Message> {
  /** Sends nothing. Resolves in any case, within the time. */
  reach(withinMs: number): Promise<Reach>;
}

/** A way to one SMS gateway. */
export interface SmsTransport extends Transport<SmsMessage> {
  /** Messages a second that it takes, where that is known. */
  readonly rate?: number | undefined;
  /** Whether it takes a repeated id for the same SMS. Default: false. */
  readonly idempotent?: boolean;
}

/** The ways to all SMS gateways, and which numbers go by which. */
export interface SmsTransports {
  readonly transports: readonly SmsTransport[];
  /** The first that fits a number counts; one fits every number. Gateways by name, the preferred first. */
  readonly routes: readonly {
    readonly numbers?: readonly string[];
    readonly countries?: readonly string[] | undefined;
    readonly gateways: readonly string[];
  }[];
}

export interface SmsMessage {
  readonly id: string;
  /** In E.164, or the digits of a national number. */
  readonly phone: string;
  readonly text: string;
  /** How long it is still worth something, in milliseconds. */
  readonly lifeMs: number;
  /** What it is a part of, for the provider to know. */
  readonly trace?: TraceContext | undefined;
}

export interface PushMessage {
  readonly id: string;
  readonly token: string;
  readonly platform: string;
  readonly title: string;
  readonly body: string;
  /** For the app: which note of which school. */
  readonly data: Readonly<Record<string, string>>;
  /** How long it is still worth something, in milliseconds, and until when (since 1970 UTC). */
  readonly lifeMs: number;
  readonly expiresAt: number;
  /** What it is a part of, for the provider to know. */
  readonly trace?: TraceContext | undefined;
}

export interface ProviderRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  /** What the request is a part of; goes along as headers. */
  readonly trace?: TraceContext | undefined;
}

export interface ProviderResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Milliseconds that the provider asks to wait, if it does. */
  readonly retryAfterMs: number | undefined;
  /** Undefined where it did not come whole, is too long, or is encoded in a way that cannot be read. */
  readonly body: string | undefined;
}

export type ProviderResult =
  | ProviderResponse
  /** Nothing was sent: the provider cannot have the message. */
  | { readonly kind: 'not-written'; readonly reason: Reason }
  /** The provider may have read the request, or not. */
  | { readonly kind: 'no-response'; readonly reason: Reason };

/** Follows what is asked and answered, as it is. */
export interface Watch {
  readonly request: (request: ProviderRequest) => void;
  readonly response: (response: ProviderResponse) => void;
}

/** Answers to one message have a few hundred bytes. */
const LONGEST_RESPONSE_BYTES = 64 * 1024;
/**
 * Idle connections are closed before servers usually do: a request that is written just when the server closes
 * leaves it open whether it was read.
 */
const KEEP_ALIVE_MS = 4000;

/** A connection was made, which is all that was wanted. */
class Reached extends Error {}

/** Asks providers over kept connections, and knows of each failure whether the request had been written. */
export class ProviderClient {
  readonly #library: Promise<Library>;
  readonly #watch: Watch | undefined;

  /**
   * @param connections - most connections at once
   * @param proxy - how requests leave
   * @param watch - called for each request and response; default: none
   */
  constructor(connections: number, proxy: ProxyOptions, watch?: Watch) {
    this.#watch = watch;
    this.#library = loadLibrary(connections, proxy);
  }

  async ask(asked: ProviderRequest, signal: AbortSignal): Promise<ProviderResult> {
    const { url, method, headers, body, trace } = asked;
    this.#watch?.request(asked);
    let progress: 'not-written' | 'no-response' = 'not-written';
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
      if (status === undefined) return { kind: progress, reason: reasonOf(error, signal) };
      return { kind: 'not-written', reason: { code: 'proxy_refused', status } };
    }
  }

  /** Connects to where a URL leads, as a request would, and sends none. */
  async reach(url: string, withinMs: number): Promise<Reach> {
    const { agent, request } = await this.#library;
    const { protocol, hostname, port } = new URL(url);
    const isTls = protocol === 'https:';
    const place = `${hostname}:${port || (isTls ? '443' : '80')}`;
    const dispatcher = watched(agent, (controller) => {
      // What is aborted before it is written is never written.
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
    throw new Error('A request that was aborted before it was written was answered');
  }

  async close(): Promise<void> {
    await (await this.#library).agent.destroy();
  }
}

/** What is used of undici; a service that sends through no provider does without loading it. */
interface Library {
  readonly agent: EnvHttpProxyAgent;
  readonly request: typeof request;
}

async function loadLibrary(connections: number, proxy: ProxyOptions): Promise<Library> {
  const { EnvHttpProxyAgent, request } = await import('undici');
  const agent = new EnvHttpProxyAgent({
    ...proxy,
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Times are bounded by the signal.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, request };
}

/** What undici says of a proxy that lets nothing through: nothing was sent to the provider then. */
function proxyStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, status] = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Compressed answers are read all the same, for those who compress whatever they are asked for. */
function withoutCompression(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isSet = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding');
  return isSet ? headers : { ...headers, 'Accept-Encoding': 'identity' };
}

const inflatedRaw: Decode = promisify(inflateRaw);

/** Some servers leave the header of zlib out of `deflate`, which begins with 8 in its lower half. */
function decoderFor(coding: string, bytes: Buffer): Decode | undefined {
  return coding === 'deflate' && ((bytes[0] ?? 0) & 0x0f) !== 8 ? inflatedRaw : decoderOf(coding);
}

/** Reads a body as text; rejects for one that is too long, before or after it is decoded, or not encoded in a known way. */
async function readBody({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_RESPONSE_BYTES) throw new Error('too long');
    chunks.push(chunk);
  }
  let bytes: Buffer = Buffer.concat(chunks);
  for (const coding of codingsOf(headers['content-encoding'])) {
    const decode = decoderFor(coding, bytes);
    if (decode === undefined) throw new Error('unknown coding');
    if (bytes.length > 0) bytes = await decode(bytes, { maxOutputLength: LONGEST_RESPONSE_BYTES });
  }
  return new TextDecoder().decode(bytes);
}

/** Returns the codings that are to be undone, the last first. */
function codingsOf(header: string | string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .toReversed();
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

/** In seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Codes, never messages: those may hold addresses, and addresses may hold a message. */
function reasonOf(error: unknown, signal: AbortSignal): Reason {
  return signal.aborted
    ? { code: 'provider_timeout' }
    : { code: 'connection_failed', error: errorWord(error) };
}

/** Whether the provider took the message, as far as the status tells. */
export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}
