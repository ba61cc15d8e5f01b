import type {
  AttemptedCall,
  Binding,
  OperationContract,
  OperationHandler,
  OperationResult,
} from './contract/operation';
import type { OperationArguments } from './contract/values';
import type { BodyRefusal } from './http/request-body';
import type { HttpResponse } from './http/response';
import type { FormReading } from './types/compiled-types';

/** A parameter over HTTP GET and POST. */
export interface FormParameter extends FormReading {
  readonly name: string;
  /** Its name in lower case, for look-ups. */
  readonly key: string;
}

/** An operation with everything needed to serve it, prepared once at start. */
export interface ServedOperation {
  readonly contract: OperationContract;
  /** Readers of its parameters over HTTP GET and POST. */
  readonly formParameters: readonly FormParameter[];
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
  readonly writeResult: Readonly<Record<Binding, (result: OperationResult) => HttpResponse>>;
}

/** A request for an operation, read without an error. */
export interface Invocation {
  readonly operation: ServedOperation;
  readonly binding: Binding;
  readonly args: OperationArguments;
}

/** Outcome of reading a request: an operation to run, or an answer already. */
export type ReadOutcome = { readonly invocation: Invocation } | { readonly response: HttpResponse };

/** A call whose head has been read, but not its body. */
export interface UnreadCall {
  /** Identifies the call by its head alone. */
  attempt(): AttemptedCall;
  /** Answers a call whose body is refused. */
  refuse(reason: BodyRefusal): HttpResponse;
  /** @param body empty for a GET */
  read(body: Buffer): ReadOutcome;
}
