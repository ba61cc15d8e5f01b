import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { OperatorError } from '../support/errors';
import type { Host } from './run-command';

const SHORTEST_PASSWORD = 8;

/**
 * The first line of standard input, without its end; in a terminal it is asked for, and not shown.
 *
 * @throws OperatorError where there is none
 */
export async function readSecret({ stdin, stderr }: Host, prompt = 'Secret'): Promise<string> {
  if (stdin.isTTY === true) stderr.write(`${prompt}: `);
  // A terminal shows what readline writes to its output: nothing.
  const hidden = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: hidden, terminal: stdin.isTTY === true });
  try {
    for await (const line of lines) return line;
    throw new OperatorError('There is no secret on standard input.');
  } finally {
    lines.close();
    if (stdin.isTTY === true) stderr.write('\n');
  }
}

/** @throws OperatorError for a password, or what else it is, that is too short */
export function refuseShort(secret: string, shortest = SHORTEST_PASSWORD): void {
  if (secret.length >= shortest) return;
  throw new OperatorError(`The secret is shorter than ${String(shortest)} characters.`);
}
