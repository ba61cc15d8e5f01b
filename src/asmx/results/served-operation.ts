import type { HttpResponse } from '../http';
import type { FormReading } from '../types';
import type {
  Binding,
  OperationArguments,
  OperationContract,
  OperationHandler,
  OperationResult,
} from '../contract';

/** A parameter as HTTP GET and POST carry it. */
export interface FormParameter extends FormReading {
  readonly name: string;
  /** Its name in lower case, by which it is found. */
  readonly key: string;
}

/** An operation with everything that serving it needs, put together once at start. */
export interface ServedOperation {
  readonly contract: OperationContract;
  /** How its parameters are read over HTTP GET and POST. */
  readonly formParameters: readonly FormParameter[];
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
  readonly writeResult: Readonly<Record<Binding, (result: OperationResult) => HttpResponse>>;
}

/** A request that named an operation and was read without an error. */
export interface Invocation {
  readonly operation: ServedOperation;
  readonly binding: Binding;
  readonly args: OperationArguments;
}

/** What reading a request comes to: an operation to run, or an answer already. */
export type ReadOutcome = { readonly invocation: Invocation } | { readonly response: HttpResponse };
