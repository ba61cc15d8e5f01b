import { OperationFault } from '../../src/asmx';
import type { StringArguments } from '../harness/recording-endpoints';

const ACTOR = 'http://example.test/actor';
const DETAIL = '<info xmlns="http://example.test/">more</info>';

/** Holds what a handler throws when an argument has one of these values. */
const THROWN = new Map<string, () => Error>([
  ['throw', () => new Error('boom from handler')],
  ['throw-inner', () => new Error('outer message', { cause: new Error('inner message') })],
  // The message of a .NET ArgumentException names its parameter on a line of its own.
  ['throw-arg', () => new Error('Value is bad.\r\nParameter name: code')],
  ['throw-soap', () => new OperationFault('Client', 'custom soap message')],
  ['throw-soap-server', () => new OperationFault('Server', 'custom server message', { actor: ACTOR })],
  ['throw-soap-detail', () => new OperationFault('Server', 'with detail', { actor: ACTOR, detail: DETAIL })],
]);

/** Throws what the first argument that is a trigger asks for. */
export function throwOnTrigger(args: StringArguments): void {
  for (const value of Object.values(args)) {
    const create = value === null ? undefined : THROWN.get(value);
    if (create !== undefined) throw create();
  }
}
