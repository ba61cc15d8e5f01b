import type { Binding, OperationContract } from '../../src/asmx';
import { readContract } from '../../src/asmx/contract';
import { ENDPOINT_NAMES, readDescription } from '../../scripts/harness';

/** An operation of the contract, and the endpoint that offers it. */
export interface DescribedOperation extends OperationContract {
  readonly endpoint: string;
}

/** All operations of the descriptions in `wsdl/`, read as the service reads them. */
export const OPERATIONS: readonly DescribedOperation[] = ENDPOINT_NAMES.flatMap((endpoint) =>
  readContract(readDescription(endpoint)).operations.map((operation) => ({ endpoint, ...operation })),
);

/** What each binding is called in text. */
export const BINDING_TITLES: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};

/** Every operation by every binding that offers it. */
export const CALLS: readonly (DescribedOperation & { readonly binding: Binding })[] = OPERATIONS.flatMap(
  (operation) => [...operation.bindings].map((binding) => ({ ...operation, binding })),
);
