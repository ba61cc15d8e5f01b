import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { type Command, Option } from 'commander';

import { hashKey, hashPassword } from '../access';
import {
  readWrittenUsers,
  type Role,
  ROLES,
  USER_NAME,
  writtenUsers,
  type WrittenUsers,
} from '../admin/login/users-file';
import { readSettings } from '../config';
import { OperatorError } from '../support/errors';
import { PROGRAM_NAME } from '../support/program-name';
import { cannotWrite, replaceFileSync } from '../support/replace-file';
import { createCommand, type Host } from './run-command';

const SHORTEST_PASSWORD = 8;

/**
 * Returns the first line of standard input, without its line end; a terminal prompts for it without echo.
 *
 * @throws OperatorError if there is none
 */
async function readSecret({ stdin, stderr }: Host, prompt = 'Secret'): Promise<string> {
  if (stdin.isTTY === true) stderr.write(`${prompt}: `);
  // The terminal would show what readline writes, so its output is discarded.
  const hidden = new Writable({
    write: (_chunk, _encoding, done) => done(),
  });
  const lines = createInterface({ input: stdin, output: hidden, terminal: stdin.isTTY === true });
  try {
    for await (const line of lines) return line;
    throw new OperatorError('No secret on standard input.');
  } finally {
    lines.close();
    if (stdin.isTTY === true) stderr.write('\n');
  }
}

/** @throws OperatorError for a password or other secret that is too short */
function refuseShort(secret: string, shortest = SHORTEST_PASSWORD): void {
  if (secret.length >= shortest) return;
  throw new OperatorError(`The secret is too short. It needs at least ${String(shortest)} characters.`);
}

const SHORTEST_KEY = 24;

/**
 * `school-notifications access-secret`: prints the entry of ACCESS_FILE for a secret, which itself is never
 * an argument.
 */
export function accessSecret(host: Host): Command {
  return createCommand('access-secret', host)
    .description(
      'Creates the hash of a password or key for ACCESS_FILE. Reads the secret from the first line of standard ' +
        'input; a terminal prompts for it without showing it.',
    )
    .option('--key', 'the secret is a randomly generated key: use a fast hash, which is unsafe for passwords')
    .option('--generate', 'generate a key and print it with its hash')
    .action(
      async ({ key = false, generate = false }: { readonly key?: boolean; readonly generate?: boolean }) => {
        const secret = generate ? randomBytes(32).toString('base64url') : await readSecret(host);
        if (!generate) refuseShort(secret, key ? SHORTEST_KEY : undefined);
        const hash = generate || key ? hashKey(secret) : await hashPassword(secret);
        host.stdout.write(generate ? `key:  ${secret}\nhash: ${hash}\n` : `${hash}\n`);
      },
    );
}

interface Options {
  readonly role?: Role;
  readonly remove?: true;
}

/**
 * `school-notifications admin-user`: manages the users who may open the console. The password is never an
 * argument.
 */
export function adminUser(host: Host): Command {
  return createCommand('admin-user', host)
    .description(
      'Adds a console user to ADMIN_USERS_FILE, changes their password, or removes them. Reads the password from the ' +
        'first line of standard input; a terminal prompts for it without showing it.',
    )
    .argument('<name>', 'login name')
    .addOption(
      new Option(
        '--role <role>',
        'viewer: read only, no names; helpdesk: sees names, may retry; operator: everything (default: unchanged; viewer for a new user)',
      ).choices(ROLES),
    )
    .addOption(new Option('--remove', 'remove the user').conflicts('role'))
    .action(async (name: string, options: Options) => {
      const path = usersFile(host);
      const users = existsSync(path) ? readWrittenUsers(path) : {};
      const { changed, said } =
        options.remove === true ? without(users, name) : await withUser(users, name, options.role, host);
      write(path, changed);
      host.stdout.write(`${said} Run ${PROGRAM_NAME} reload if the service is running.\n`);
    });
}

interface Change {
  readonly changed: WrittenUsers;
  readonly said: string;
}

function usersFile(host: Host): string {
  const { ADMIN_USERS_FILE: path } = readSettings(host.env).config;
  if (path === undefined)
    throw new OperatorError('ADMIN_USERS_FILE is not set. Set it to the path of the file.');
  return path;
}

async function withUser(
  users: WrittenUsers,
  name: string,
  asked: Role | undefined,
  host: Host,
): Promise<Change> {
  if (!USER_NAME.test(name))
    throw new OperatorError(
      'Not a valid name. Use up to 64 of a to z, A to Z, digits and . _ @ -, beginning with a letter or digit.',
    );
  const before = Object.hasOwn(users, name) ? users[name] : undefined;
  const role = asked ?? before?.role ?? 'viewer';
  const password = await readSecret(host, 'Password');
  refuseShort(password);
  const changed = { ...users, [name]: { role, secret: await hashPassword(password) } };
  return {
    changed,
    said: `${before === undefined ? 'Added' : 'Changed the password of'} ${name} (${role}).`,
  };
}

function without(users: WrittenUsers, name: string): Change {
  if (!Object.hasOwn(users, name)) throw new OperatorError('No user has this name.');
  const changed = Object.fromEntries(Object.entries(users).filter(([other]) => other !== name));
  return { changed, said: `Removed ${name}.` };
}

/** Writes the file atomically, readable by the owner only. */
function write(path: string, users: WrittenUsers): void {
  try {
    replaceFileSync(path, writtenUsers(users));
  } catch (cause) {
    throw new OperatorError(cannotWrite(`ADMIN_USERS_FILE, ${path}`, cause), { cause });
  }
}
