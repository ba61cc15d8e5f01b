import type { ElementContract, OperationArguments, Value } from './values';

/** The four ways to reach an operation. */
export const BINDINGS = ['soap11', 'soap12', 'get', 'post'] as const;

export type Binding = (typeof BINDINGS)[number];

/** What a request's head says of the call that it makes. Over SOAP the body has the last word. */
export interface AttemptedCall {
  /** Undefined where the body alone names it. */
  readonly operation: string | undefined;
  /** Those that it may turn out to be for; its refusal is written for the first. */
  readonly bindings: readonly [Binding, ...Binding[]];
}

/** What a request is a part of elsewhere, in the words of the headers of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** What a handler may know of the call beside its arguments. */
export interface CallContext {
  readonly binding: Binding;
  /** Identifies the request in the log. */
  readonly requestId: string;
  /** Name under which the application knows who calls; undefined where it knows nobody. */
  readonly caller?: string | undefined;
  /** What the call is a part of; undefined where that is not known. */
  readonly trace?: TraceContext | undefined;
  /** Adds fields to the exchange's log line; never personal data. */
  annotate(fields: Readonly<Record<string, string | number | boolean>>): void;
}

/**
 * A whole response for the HTTP GET and POST bindings of an operation that declares no result. An ASMX method
 * can write into the HTTP response itself; the SOAP bindings then still answer with the empty response.
 */
export class RawResponse {
  constructor(
    readonly contentType: string,
    readonly body: string,
  ) {}
}

/** What a handler may return: nothing, a value of the type that the contract declares, or a raw response. */
export type OperationResult = undefined | Value | RawResponse;

/**
 * Runs one operation, the same for all four bindings.
 *
 * Throwing an {@link OperationFault} answers with its own code and text. Any other error answers as a server
 * fault that shows the error's message and those of its causes, as ASP.NET does: a caller who does not want
 * that translates its errors first.
 */
export type OperationHandler<Arguments extends OperationArguments = OperationArguments> = (
  args: Arguments,
  call: CallContext,
) => Promise<OperationResult>;

/** Handlers by operation, each for arguments of the types that its contract says. */
export type OperationHandlers = Readonly<Record<string, OperationHandler<never>>>;

/** Who is to blame: `Client` becomes soap:Client or soap:Sender, `Server` soap:Server or soap:Receiver. */
export type FaultCode = 'Client' | 'Server';

/** The counterpart of .NET's SoapException: its code and text reach the caller as they stand. */
export class OperationFault extends Error {
  override readonly name = 'OperationFault';
  /** URI of the node that raised the fault, or undefined. */
  readonly actor: string | undefined;
  /** Markup of the detail entries, written as it stands, or undefined. */
  readonly detail: string | undefined;

  constructor(
    readonly code: FaultCode,
    message: string,
    options: { readonly actor?: string; readonly detail?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.actor = options.actor;
    this.detail = options.detail;
  }
}

export interface OperationContract {
  readonly name: string;
  /** In declaration order. */
  readonly parameters: readonly ElementContract[];
  readonly responseElement: string;
  /** Undefined where the operation returns nothing. */
  readonly result: ElementContract | undefined;
  /** The bindings in which the description offers the operation. */
  readonly bindings: ReadonlySet<Binding>;
}

/** One service description, reduced to what serving it needs. */
export interface ServiceContract {
  readonly name: string;
  /** Path of the endpoint, from the description's addresses: `/AuthCodeSending.asmx`. */
  readonly path: string;
  readonly namespace: string;
  /** In the port type's order. */
  readonly operations: readonly OperationContract[];
}

/** A service description that cannot be served; the message names the document and what is wrong with it. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}
