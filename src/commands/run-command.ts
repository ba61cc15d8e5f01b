import { inspect } from 'node:util';

import type { Command } from 'commander';

import { databaseOptions, dataPaths, readSettings } from '../config';
import { OperatorError } from '../errors';
import { looseness } from '../private-files';
import { openStore, type Store, type StoreOptions } from '../store';
import { shown } from '../text';

/** The database of the settings, which are the service's own: environment variables and `.env`. */
export function storeOptions(): StoreOptions {
  const { config } = readSettings(process.env);
  warnOfLoose(dataPaths(config));
  return databaseOptions(config);
}

/** Tells the operator of files and folders that others than their owner can get at. */
export function warnOfLoose(paths: readonly string[]): void {
  printErrors(looseness(paths).map(({ message }) => `Warning: ${message}`));
}

/** Runs a command; what the operator can mend is told in one line, anything else with its stack. Exit code 1. */
export async function runCommand(command: Command): Promise<void> {
  try {
    await command.parseAsync();
  } catch (error) {
    printErrors((error instanceof OperatorError ? error.message : inspect(error)).split('\n'));
    process.exitCode = 1;
  }
}

function printErrors(lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${shown(line)}\n`).join(''));
}

/**
 * Does something with the database of the settings, which must be there, and closes it.
 *
 * @throws StoreError where it cannot be opened
 */
export async function onStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...storeOptions(), mustExist: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
