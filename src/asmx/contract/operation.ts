/** The four ways to reach an operation. */
export type Binding = 'soap11' | 'soap12' | 'get' | 'post';

/** What a request's head says of the call that it makes. Over SOAP the body has the last word. */
export interface AttemptedCall {
  /** Undefined where the body alone names it. */
  readonly operation: string | undefined;
  /** Those that it may turn out to be for; its refusal is written for the first. */
  readonly bindings: readonly [Binding, ...Binding[]];
}

/** What a handler may know of the call beside its arguments. */
export interface CallContext {
  readonly binding: Binding;
  /** Identifies the request in the log. */
  readonly requestId: string;
  /** Name under which the application knows who calls; undefined where it knows nobody. */
  readonly caller?: string | undefined;
  /** Adds fields to the exchange's log line; never personal data. */
  annotate(fields: Readonly<Record<string, string | number | boolean>>): void;
}

/** Arguments by the contract's parameter names; `null` is a parameter that the request did not carry. */
export type OperationArguments = Readonly<Record<string, string | null>>;

/** One record of a list result, by the contract's field names; a `null` field is left out of the answer. */
export type ResultRecord = Readonly<Record<string, string | null>>;

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

/** What a handler may return: nothing, a string, a list of records, or a raw response; `null` is a null result. */
export type OperationResult = undefined | null | string | readonly (ResultRecord | null)[] | RawResponse;

/**
 * Runs one operation, the same for all four bindings.
 *
 * Throwing an {@link OperationFault} answers with its own code and text. Any other error answers as a server
 * fault that shows the error's message and those of its causes, as ASP.NET does: a caller who does not want
 * that translates its errors first.
 */
export type OperationHandler = (args: OperationArguments, call: CallContext) => Promise<OperationResult>;

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
