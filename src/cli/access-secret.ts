import { randomBytes } from 'node:crypto';

import type { Command } from 'commander';

import { hashKey, hashPassword } from '../access';
import { readSecret, refuseShort } from './read-secret';
import { commandOf, type Host } from './run-command';

const SHORTEST_KEY = 24;

/** `school-notifications access-secret`: what ACCESS_FILE holds of a secret, which itself is never an argument. */
export function accessSecret(host: Host): Command {
  return commandOf('access-secret', host)
    .description(
      'Makes the hash of a password or a key for ACCESS_FILE. The secret is the first line of standard input; ' +
        'in a terminal it is asked for, and not shown.',
    )
    .option('--key', 'of a key that a program drew at random: a quick hash, which only such a key may have')
    .option('--generate', 'draws a key, and prints it with its hash')
    .action(
      async ({ key = false, generate = false }: { readonly key?: boolean; readonly generate?: boolean }) => {
        if (generate) print(host, generated());
        else print(host, [await hashOf(await readSecret(host), key)]);
      },
    );
}

function generated(): readonly string[] {
  const secret = randomBytes(32).toString('base64url');
  return [`key:  ${secret}`, `hash: ${hashKey(secret)}`];
}

function hashOf(secret: string, isKey: boolean): string | Promise<string> {
  refuseShort(secret, isKey ? SHORTEST_KEY : undefined);
  return isKey ? hashKey(secret) : hashPassword(secret);
}

function print({ stdout }: Host, lines: readonly string[]): void {
  stdout.write(`${lines.join('\n')}\n`);
}
