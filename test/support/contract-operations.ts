import type { Binding, OperationContract } from '../../src/asmx';
import { readContract } from '../../src/asmx/contract';
import { ENDPOINT_NAMES, readDescription } from '../../scripts/harness';

/** An operation of the contract, and the endpoint that offers it. */
export interface DescribedOperation extends Omit<OperationContract, 'name'> {
  readonly endpoint: string;
  readonly operation: string;
}

/** All operations of the descriptions in `wsdl/`, read as the service reads them. */
export const OPERATIONS: readonly DescribedOperation[] = ENDPOINT_NAMES.flatMap((endpoint) =>
  readContract(readDescription(endpoint)).operations.map(({ name, ...contract }) => ({
    endpoint,
    operation: name,
    ...contract,
  })),
);

/** Every operation by every binding that offers it. */
export const CALLS: readonly (DescribedOperation & { readonly binding: Binding })[] = OPERATIONS.flatMap(
  (operation) => [...operation.bindings].map((binding) => ({ ...operation, binding })),
);
