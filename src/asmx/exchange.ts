import type { Request, Response } from 'express';

import type { AttemptedCall, Binding, CallContext, TraceContext } from './contract/operation';
import type { OperationArguments } from './contract/values';
import type { DocumentKind } from './documents/metadata';
import { type HttpResponse, refuseBody, sendResponse } from './http/response';

/** Why a call is not served. */
export interface Refusal {
  readonly status: 401 | 403 | 429;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** For the caller. */
  readonly message: string;
  /** One word of few, for log and metrics. */
  readonly reason: string;
  /** Name under which the gate knows who it is, or undefined. */
  readonly caller: string | undefined;
}

/** What somebody who was let in may do. */
export interface Admission {
  /** Name under which the gate knows who it is, or undefined. */
  readonly caller: string | undefined;
  /** Judges the call when all of it is known. */
  judge(operation: string, binding: Binding, args: OperationArguments): Refusal | undefined;
}

export type Verdict = Admission | Refusal;

/** Decides who may call what: asked before a request's body is read, so it may not read that itself. */
export interface Gate {
  admit(request: Request, call: AttemptedCall): Verdict | Promise<Verdict>;
}

/** How an exchange ended: answered, refused because of what the caller sent, or failed on our side. */
export type Outcome = 'ok' | 'client_error' | 'server_error';

/** One request and its response, as told to the observer when the response is written. Holds no personal data. */
export interface Exchange {
  readonly requestId: string;
  /** HTTP method, as received. */
  readonly method: string;
  /** Endpoint name from the service description (`AuthCodeSending`), or undefined outside the endpoints. */
  readonly endpoint: string | undefined;
  /** Operation name from the service description, or undefined where none was reached. */
  readonly operation: string | undefined;
  /** Undefined for what is neither a call nor a document. */
  readonly binding: Binding | DocumentKind | undefined;
  /** Name under which the application knows who calls; undefined where it knows nobody. */
  readonly caller: string | undefined;
  /** Why the call was not let in, one word of few; undefined where it was. */
  readonly refusal: string | undefined;
  /** Why the caller got no result, where that was found before the operation ran; never a text of the caller's. */
  readonly reason: string | undefined;
  /** HTTP status of the response; 0 when the caller went away before it. */
  readonly status: number;
  readonly outcome: Outcome;
  /** From the request's header to the last byte handed to the socket, in milliseconds. */
  readonly durationMs: number;
  /** What the request is a part of, where that was asked for and is known. */
  readonly trace?: TraceContext | undefined;
  /** Fields added by the handler. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** What a handler threw, for the log; never shown to the caller by the observer. */
  readonly error: unknown;
}

/** @param request what an observer may tell of the client in words of its own; undefined where it never became one */
export type ExchangeObserver = (exchange: Exchange, request: Request | undefined) => void;

/** Asked of each request as it begins what it is a part of. */
export type TraceReader = (request: Request) => TraceContext | undefined;

/**
 * Asked before a failure of the server is answered.
 *
 * @param answer what the caller would get
 * @returns whether it answers the caller in our stead
 */
export type StandIn = (exchange: Exchange, answer: HttpResponse) => boolean;

let counter = 0;
const PREFIX = `${process.pid.toString(36)}-${Date.now().toString(36)}-`;

/** Whether it went away, or took too long to send the rest of its request. */
const CALLER_GONE = 'The connection ended before the answer.';

const NO_FIELDS: Exchange['fields'] = {};

/** Gathers what is told of one exchange while it is served. */
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
  outcome: Outcome = 'ok';
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

  /** The context that a handler sees. */
  call(binding: Binding): CallContext {
    return {
      binding,
      requestId: this.requestId,
      caller: this.caller,
      trace: this.trace,
      annotate: (fields) => {
        this.fields = this.fields === NO_FIELDS ? fields : { ...this.fields, ...fields };
      },
    };
  }

  /** Tells the observer how it ended: with a status, 0 when the caller was gone, and why where there is no result. */
  end(status: number, reason = status === 0 ? CALLER_GONE : undefined): void {
    this.status = status;
    this.reason = reason;
    if (this.outcome === 'ok' && (status < 200 || status >= 400)) this.outcome = 'client_error';
    this.durationMs = performance.now() - this.#start;
    this.#observe(this, this.#request);
  }
}

/** A request under way: all that its steps share. Its record holds nothing that the caller sent. */
export class OpenExchange {
  readonly record: ExchangeRecord;
  readonly request: Request;
  readonly response: Response;
  /** Query string of the request, without the question mark. */
  readonly query: string;
  /** Undefined where nobody is asked who may call. */
  admission: Admission | undefined;
  /** Headers by which a browser lets a page of another site read the answer, names and values in turn. */
  crossOrigin: readonly string[] = [];
  readonly #standIn: StandIn | undefined;

  constructor(
    request: Request,
    response: Response,
    query: string,
    observe: ExchangeObserver,
    standIn?: StandIn,
  ) {
    this.#standIn = standIn;
    this.record = new ExchangeRecord(request.method, observe, request);
    this.request = request;
    this.response = response;
    this.query = query;
  }

  /** Sends the response, unless the caller is gone. */
  respond(response: HttpResponse): void {
    if (this.response.destroyed) {
      this.record.end(0);
      return;
    }
    const { record } = this;
    if (record.outcome === 'server_error' && this.#standIn?.(record, response)) {
      record.fields = { ...record.fields, standIn: true };
      record.end(response.status, response.reason);
      return;
    }
    sendResponse(this.response, this.#readable(response));
    this.record.end(response.status, response.reason);
  }

  /** Sends the response to a request whose body is not read to its end. */
  refuse(response: HttpResponse): void {
    refuseBody(this.request, this.response, this.#readable(response));
    this.record.end(response.status, response.reason);
  }

  #readable(response: HttpResponse): HttpResponse {
    if (this.crossOrigin.length === 0) return response;
    // Several lines of Vary are one list.
    return { ...response, headers: [...response.headers, ...this.crossOrigin] };
  }

  /** Says that the service failed: with a page, or by breaking off a response that has begun. */
  fail(error: unknown, page: HttpResponse): void {
    this.record.error = error;
    this.record.outcome = 'server_error';
    // Half a response is none: the caller must see that the rest is missing.
    if (this.response.headersSent) this.response.destroy();
    this.respond(page);
  }
}
