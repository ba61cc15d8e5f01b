import type { Binding } from '../../src/asmx';
import type { OperationContract } from '../../src/asmx/internal';
import { ENDPOINT_NAMES, readDescription } from '../../scripts/harness';
import { element, itemOf, listOf } from './contract-types';
import { type Contract, readContract, type Typed } from './read-contract';

/** An operation of the contract, and the endpoint that offers it. */
export interface DescribedOperation extends OperationContract {
  readonly endpoint: string;
}

/** The port types and bindings of an endpoint, by what their names end with (wire contract, section 8.1). */
const BINDINGS = { Soap: 'soap11', Soap12: 'soap12', HttpGet: 'get', HttpPost: 'post' } as const;

/** All operations of the descriptions in `wsdl/`, read without the help of the code under test. */
export const OPERATIONS: readonly DescribedOperation[] = ENDPOINT_NAMES.flatMap((endpoint) => {
  const contract = readContract(readDescription(endpoint));
  return Object.entries(contract.portTypes[`${endpoint}Soap`] ?? {}).map(
    ([name, { parameters, results }]) => ({
      endpoint,
      name,
      parameters: parameters.map(([parameter, type]) =>
        element(parameter, type === 'char' ? 'char' : 'string'),
      ),
      responseElement: `${name}Response`,
      result: resultOf(results, contract),
      bindings: new Set(
        Object.entries(BINDINGS).flatMap(([ending, binding]) =>
          contract.bindings[endpoint + ending]?.includes(name) === true ? [binding] : [],
        ),
      ),
    }),
  );
});

function resultOf([result]: readonly Typed[], { types }: Contract): OperationContract['result'] {
  if (result === undefined) return undefined;
  const [name, type] = result;
  const [item] = types[type] ?? [];
  if (item === undefined) return element(name, 'string');
  const fields = types[item[1].replace('[]', '')] ?? [];
  return element(name, listOf(itemOf(item[0], ...fields.map(([field]) => field))));
}

/** Every operation by every binding that offers it. */
export const CALLS: readonly (DescribedOperation & { readonly binding: Binding })[] = OPERATIONS.flatMap(
  (operation) => [...operation.bindings].map((binding) => ({ ...operation, binding })),
);
