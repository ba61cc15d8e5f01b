import type { Binding, EndpointDefinition, OperationHandler, OperationResult } from '../../src/asmx';
import { ENDPOINT_NAMES, readDescription } from '../../scripts/harness';
import { type DescribedOperation, OPERATIONS } from './contract-operations';

/** The arguments of the contract's operations, all of which take strings and characters. */
export type StringArguments = Readonly<Record<string, string | null>>;

export type StringHandler = OperationHandler<StringArguments>;

export interface RecordedCall {
  readonly operation: string;
  readonly args: StringArguments;
  readonly binding: Binding;
}

/** Returns what an operation may return, by the result that its contract declares. */
export function resultOf({ result }: DescribedOperation): OperationResult {
  if (result === undefined) return undefined;
  return result.type.kind === 'list' ? [] : 'token';
}

/** All endpoints of the contract, with handlers that note down their calls. */
export function recordingEndpoints(calls: RecordedCall[]): readonly EndpointDefinition[] {
  return endpointsWith((operation, contract) =>
    handlerOf((args, { binding }) => {
      calls.push({ operation, args, binding });
      return resultOf(contract);
    }),
  );
}

/** A handler that has its result, or its error, at once. */
export function handlerOf(compute: (...call: Parameters<StringHandler>) => OperationResult): StringHandler {
  return (...call) =>
    new Promise((resolve) => {
      resolve(compute(...call));
    });
}

/** All endpoints of the contract, every operation served by the handler that `create` makes for it. */
export function endpointsWith(
  create: (operation: string, contract: DescribedOperation) => StringHandler,
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
