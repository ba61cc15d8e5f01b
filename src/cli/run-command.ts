import { inspect } from 'node:util';

import { Command, CommanderError } from 'commander';

import { databaseOptions, dataPaths, readSettings } from '../config';
import { OperatorError } from '../support/errors';
import { looseness } from '../support/private-files';
import { openStore, type Store, type StoreOptions } from '../store';
import { shown } from '../support/text';

/** What a command has of the process that it runs in. */
export interface Host {
  readonly argv: readonly string[];
  readonly versions: { readonly node: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  /** Told of the first Ctrl-C, or the first request to end; a second one ends the process as it stands. */
  once?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  /** With which the process ends once nothing is left to do; 0 unless set. */
  exitCode?: number | string | null | undefined;
}

/** A command to be described further. */
export function commandOf(name: string, { stdout, stderr }: Host): Command {
  return new Command(name).exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
  });
}

/** The database of the settings, which are the service's own: environment variables and `.env`. */
export function storeOptions(host: Host): StoreOptions {
  const { config } = readSettings(host.env);
  warnOfLoose(dataPaths(config), host);
  return databaseOptions(config);
}

/** Tells the operator of files and folders that others than their owner can get at. */
export function warnOfLoose(paths: readonly string[], host: Host): void {
  printErrors(
    looseness(paths).map(({ message }) => `Warning: ${message}`),
    host,
  );
}

/**
 * Runs a command; what the operator can mend is told in one line, anything else with its stack. The exit code is then 1,
 * or that which the command has set.
 */
export async function runCommand(make: (host: Host) => Command, host: Host): Promise<void> {
  try {
    await make(host).parseAsync(host.argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has said what is wrong, or has given help.
      host.exitCode = error.exitCode === 0 ? 0 : (host.exitCode ?? error.exitCode);
      return;
    }
    printErrors((error instanceof OperatorError ? error.message : inspect(error)).split('\n'), host);
    host.exitCode ??= 1;
  }
}

function printErrors(lines: readonly string[], { stderr }: Host): void {
  stderr.write(lines.map((line) => `${shown(line)}\n`).join(''));
}

/**
 * Does something with the database of the settings, which must be there, and closes it.
 *
 * @throws StoreError where it cannot be opened
 */
export async function onStore<T>(host: Host, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...storeOptions(host), mustExist: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
