import type { Binding } from './operation';
import type { ElementContract } from './value-type';

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
