import type { ElementContract, OperationArguments, Value } from './values';

/** The four ways to reach an operation. */
export const BINDINGS = ['soap11', 'soap12', 'get', 'post'] as const;

export type Binding = (typeof BINDINGS)[number];

/** A call as far as the request's head describes it. Over SOAP the body decides. */
export interface AttemptedCall {
  /** Undefined when only the body names it. */
  readonly operation: string | undefined;
  /** Candidate bindings; a refusal is written for the first. */
  readonly bindings: readonly [Binding, ...Binding[]];
}

/** Trace context of a request, as its W3C Trace Context headers give it. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** Context of a call for its handler, besides the arguments. */
export interface CallContext {
  readonly binding: Binding;
  /** Identifies the request in the log. */
  readonly requestId: string;
  /** Name under which the application knows the caller; undefined for an unknown caller. */
  readonly caller?: string | undefined;
  /** Trace context of the call; undefined if not known. */
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

/** Result of a handler: nothing, a value of the type that the contract declares, or a raw response. */
export type OperationResult = undefined | Value | RawResponse;

/**
 * Runs one operation, the same for all four bindings. A list that it returns frozen is written once and its
 * answer sent again whenever the same list is returned: nothing in it may change.
 *
 * Throwing an {@link OperationFault} answers with its own code and text. Any other error answers as a server
 * fault that shows the error's message and those of its causes, as ASP.NET does: translate errors first if
 * callers must not see them.
 */
export type OperationHandler<Arguments extends OperationArguments = OperationArguments> = (
  args: Arguments,
  call: CallContext,
) => Promise<OperationResult>;

/** Handlers by operation name, each for arguments of the types in its contract. */
export type OperationHandlers = Readonly<Record<string, OperationHandler<never>>>;

/** Party to blame: `Client` becomes soap:Client or soap:Sender, `Server` soap:Server or soap:Receiver. */
export type FaultCode = 'Client' | 'Server';

/** The counterpart of .NET's SoapException: its code and text reach the caller unchanged. */
export class OperationFault extends Error {
  override readonly name = 'OperationFault';
  /** URI of the node that raised the fault, or undefined. */
  readonly actor: string | undefined;
  /** Markup of the detail entries, written unchanged, or undefined. */
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
  /** Undefined for an operation that returns nothing. */
  readonly result: ElementContract | undefined;
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

/** Thrown for a service description that cannot be served; the message names the document and the problem. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}
