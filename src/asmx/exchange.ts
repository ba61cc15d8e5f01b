import type { Request, Response } from 'express';

import type { AttemptedCall, Binding, CallContext, TraceContext } from './contract/operation';
import type { OperationArguments } from './contract/values';
import type { DocumentKind } from './documents/metadata';
import { refuseBody } from './http/refuse-body';
import type { HttpResponse } from './http/response';
import { sendResponse } from './http/send-response';

/** Reason why a call is not served. */
export interface Refusal {
  readonly status: 401 | 403 | 429;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** Text for the caller. */
  readonly message: string;
  /** One word from a small set, for log and metrics. */
  readonly reason: string;
  /** Name under which the authorizer knows the caller, or undefined. */
  readonly caller: string | undefined;
}

/** Rights of an admitted caller. */
export interface Admission {
  /** Name under which the authorizer knows the caller, or undefined. */
  readonly caller: string | undefined;
  /** Decides about the call once all of it is known. */
  authorize(operation: string, binding: Binding, args: OperationArguments): Refusal | undefined;
}

export type AccessDecision = Admission | Refusal;

/** Decides who may call what: asked before a request's body is read, and must not read the body itself. */
export interface Authorizer {
  admit(request: Request, call: AttemptedCall): AccessDecision | Promise<AccessDecision>;
}

/** Outcome of an exchange: answered, refused because of the caller's input, or failed in the service. */
export type RequestOutcome = 'ok' | 'client_error' | 'server_error';

/**
 * One request and its response, as reported to the observer once the response is written. Contains no
 * personal data.
 */
export interface Exchange {
  readonly requestId: string;
  /** HTTP method, as received. */
  readonly method: string;
  /** Endpoint name from the service description (`AuthCodeSending`), or undefined outside the endpoints. */
  readonly endpoint: string | undefined;
  /** Operation name from the service description, or undefined if the request reached none. */
  readonly operation: string | undefined;
  /** Undefined for anything but a call or a document. */
  readonly binding: Binding | DocumentKind | undefined;
  /** Name under which the application knows the caller; undefined for an unknown caller. */
  readonly caller: string | undefined;
  /** Reason for refusing the call, one word from a small set; undefined if it was admitted. */
  readonly refusal: string | undefined;
  /** Reason why the caller got no result, if found before the operation ran; never a text from the caller. */
  readonly reason: string | undefined;
  /** HTTP status of the response; 0 when the caller disconnected before it. */
  readonly status: number;
  readonly outcome: RequestOutcome;
  /** Time from the request's header until its answer is ready, in milliseconds. */
  readonly durationMs: number;
  /** Trace context of the request, if tracing is on and the request has one. */
  readonly trace?: TraceContext | undefined;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** Error thrown by a handler, for the log; the observer never shows it to the caller. */
  readonly error: unknown;
}

/**
 * @param request for details of the client that an observer words itself; undefined if it could not be parsed
 */
export type ExchangeObserver = (exchange: Exchange, request: Request | undefined) => void;

/** Reads the trace context of each request as it begins. */
export type TraceReader = (request: Request) => TraceContext | undefined;

/**
 * Consulted before a server failure is answered.
 *
 * @param answer the answer that the caller would get
 * @returns true if it answers the caller itself
 */
export type Fallback = (exchange: Exchange, answer: HttpResponse) => boolean;

let counter = 0;
const PREFIX = `${process.pid.toString(36)}-${Date.now().toString(36)}-`;

/** Reason for a caller that disconnected or was too slow to send the rest of its request. */
const CALLER_GONE = 'The connection ended before the response.';

const NO_FIELDS: Exchange['fields'] = {};

/** Collects the facts of one exchange while it is served. */
export class ExchangeRecord implements Exchange {
  readonly requestId: string;
  readonly method: string;
  endpoint: string | undefined;
  operation: string | undefined;
  binding: Exchange['binding'];
  caller: string | undefined;
  refusal: string | undefined;
  reason: string | undefined;
  status = 0;
  outcome: RequestOutcome = 'ok';
  durationMs = 0;
  trace: TraceContext | undefined = undefined;
  fields = NO_FIELDS;
  error: unknown;
  readonly #observe: ExchangeObserver;
  readonly #start = performance.now();
  readonly #request: Request | undefined;

  constructor(method: string, observe: ExchangeObserver, request?: Request) {
    counter += 1;
    this.requestId = PREFIX + String(counter);
    this.method = method;
    this.#observe = observe;
    this.#request = request;
  }

  call(binding: Binding): CallContext {
    return {
      binding,
      requestId: this.requestId,
      caller: this.caller,
      trace: this.trace,
      annotate: (fields) => {
        // Spread syntax would take a microsecond for two objects.
        this.fields = this.fields === NO_FIELDS ? fields : Object.assign({}, this.fields, fields);
      },
    };
  }

  /**
   * Reports the end to the observer: status 0 means that the caller disconnected; `reason` says why there is
   * no result.
   */
  end(status: number, reason = status === 0 ? CALLER_GONE : undefined): void {
    this.status = status;
    this.reason = reason;
    if (this.outcome === 'ok' && (status < 200 || status >= 400)) this.outcome = 'client_error';
    this.durationMs = performance.now() - this.#start;
    this.#observe(this, this.#request);
  }
}

/** A request in progress: state shared by all its steps. Its record contains nothing that the caller sent. */
export class OpenExchange {
  readonly record: ExchangeRecord;
  readonly request: Request;
  readonly response: Response;
  /** Query string of the request, without the question mark. */
  readonly query: string;
  /** Undefined without access control. */
  admission: Admission | undefined;
  /** CORS headers that let a browser page of another site read the answer: names and values, alternating. */
  crossOrigin: readonly string[] = [];
  readonly #fallback: Fallback | undefined;

  constructor(
    request: Request,
    response: Response,
    query: string,
    observe: ExchangeObserver,
    fallback?: Fallback,
  ) {
    this.#fallback = fallback;
    this.record = new ExchangeRecord(request.method, observe, request);
    this.request = request;
    this.response = response;
    this.query = query;
  }

  /** Sends the response, unless the caller has disconnected. */
  respond(response: HttpResponse): void {
    if (this.response.destroyed) {
      this.record.end(0);
      return;
    }
    const { record } = this;
    if (record.outcome === 'server_error' && this.#fallback?.(record, response)) {
      record.fields = { ...record.fields, answeredByFallback: true };
      record.end(response.status, response.reason);
      return;
    }
    sendResponse(this.response, this.#readable(response));
    this.record.end(response.status, response.reason);
  }

  /** Sends the response to a request whose body is not read completely. */
  refuse(response: HttpResponse): void {
    refuseBody(this.request, this.response, this.#readable(response));
    this.record.end(response.status, response.reason);
  }

  #readable(response: HttpResponse): HttpResponse {
    if (this.crossOrigin.length === 0) return response;
    // Several Vary headers form one list.
    return { ...response, headers: [...response.headers, ...this.crossOrigin] };
  }

  /** Reports a failure of the service: with a page, or by aborting a response that has begun. */
  fail(error: unknown, page: HttpResponse): void {
    this.record.error = error;
    this.record.outcome = 'server_error';
    // The caller must notice that a half-sent response is incomplete.
    if (this.response.headersSent) this.response.destroy();
    this.respond(page);
  }
}
