import type {
  Binding,
  EndpointDefinition,
  OperationArguments,
  OperationHandler,
  OperationResult,
} from '../../src/asmx';
import { ENDPOINT_NAMES, readDescription } from '../../scripts/harness';
import { type DescribedOperation, OPERATIONS } from './contract-operations';

export interface RecordedCall {
  readonly operation: string;
  readonly args: OperationArguments;
  readonly binding: Binding;
}

/** What an operation returns, by the kind of result that its contract declares. */
const RESULTS: Readonly<Record<DescribedOperation['result']['kind'], OperationResult>> = {
  none: undefined,
  string: 'token',
  list: [],
};

/** All endpoints of the contract, with handlers that note down their calls. */
export function recordingEndpoints(calls: RecordedCall[]): readonly EndpointDefinition[] {
  return endpointsWith((operation, { result }) =>
    handlerOf((args, { binding }) => {
      calls.push({ operation, args, binding });
      return RESULTS[result.kind];
    }),
  );
}

/** A handler that has its result, or its error, at once. */
export function handlerOf(
  compute: (...call: Parameters<OperationHandler>) => OperationResult,
): OperationHandler {
  return (...call) =>
    new Promise((resolve) => {
      resolve(compute(...call));
    });
}

/** All endpoints of the contract, every operation served by the handler that `create` makes for it. */
export function endpointsWith(
  create: (operation: string, contract: DescribedOperation) => OperationHandler,
): readonly EndpointDefinition[] {
  return ENDPOINT_NAMES.map((name) => ({
    description: readDescription(name),
    handlers: Object.fromEntries(
      OPERATIONS.filter(({ endpoint }) => endpoint === name).map((contract) => [
        contract.name,
        create(contract.name, contract),
      ]),
    ),
  }));
}
