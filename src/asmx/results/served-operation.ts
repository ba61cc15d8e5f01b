import type { HttpResponse } from '../http';
import type { Binding, OperationContract, OperationHandler, OperationResult } from '../contract';

/** An operation with everything that serving it needs, put together once at start. */
export interface ServedOperation {
  readonly contract: OperationContract;
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
  readonly writeResult: Readonly<Record<Binding, (result: OperationResult) => HttpResponse>>;
}

/** A request that named an operation and was read without an error. */
export interface Invocation {
  readonly operation: ServedOperation;
  readonly binding: Binding;
  readonly args: Readonly<Record<string, string | null>>;
}

/** What reading a request comes to: an operation to run, or an answer already. */
export type ReadOutcome = { readonly invocation: Invocation } | { readonly response: HttpResponse };
