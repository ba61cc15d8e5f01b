import { parsePublicAddress } from '../../http';
import type { ServiceContract } from '../../contract';
import type { ExampleValues } from '../help';
import { bindingSamples, bindingTitle } from './binding-samples';
import { curlCommand } from './shell-commands';
import { endpointAddress } from './endpoint-address';

/** A call to show. */
export interface ExampleCall {
  readonly operation: string;
  readonly values: ExampleValues;
}

/** How that call is made over one binding. */
export interface ExampleCommand {
  /** The binding, as the pages call it. */
  readonly title: string;
  /** One line for a shell. */
  readonly command: string;
}

/**
 * The commands of the operation's page, with the values of a call; the shortest first, to begin with.
 *
 * @param address - where callers reach the server: `https://host:port/prefix`
 */
export function exampleCommands(
  services: readonly ServiceContract[],
  { operation: name, values }: ExampleCall,
  address: string,
): readonly ExampleCommand[] {
  const server = parsePublicAddress(address);
  const commands = services.flatMap(({ path, namespace, operations }) =>
    operations
      .filter((operation) => operation.name === name)
      .flatMap((operation) => bindingSamples(operation, namespace))
      .map((sample) => ({
        title: bindingTitle[sample.binding],
        command: curlCommand(sample, endpointAddress(server, path), values),
      })),
  );
  return commands.toSorted((one, other) => one.command.length - other.command.length);
}
