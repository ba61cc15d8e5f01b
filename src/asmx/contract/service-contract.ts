import type { Binding } from './operation';

/** `char` is .NET's: one UTF-16 unit, a decimal number over SOAP and the character itself over GET and POST. */
export type ParameterType = 'string' | 'char';

export interface ParameterContract {
  readonly name: string;
  readonly type: ParameterType;
}

/** What an operation declares to return; the element names are those of the answer's markup. */
export type ResultContract =
  | { readonly kind: 'none' }
  | { readonly kind: 'string'; readonly element: string; readonly root: string }
  | {
      readonly kind: 'list';
      readonly element: string;
      readonly root: string;
      readonly item: string;
      readonly fields: readonly string[];
    };

export interface OperationContract {
  readonly name: string;
  /** In declaration order. */
  readonly parameters: readonly ParameterContract[];
  readonly responseElement: string;
  readonly result: ResultContract;
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
