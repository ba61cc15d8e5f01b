import { inspect } from 'node:util';

import type { Command } from 'commander';

import { databaseOptions, loadConfig, readEnvFile } from '../config';
import { OperatorError } from '../errors';
import type { StoreOptions } from '../store';

/** The database of the settings, which are the service's own: environment variables and `.env`. */
export function storeOptions(): StoreOptions {
  return databaseOptions(loadConfig({ ...readEnvFile('.env'), ...process.env }));
}

/** Runs a command; what the operator can mend is told in one line, anything else with its stack. Exit code 1. */
export async function runCommand(command: Command): Promise<void> {
  try {
    await command.parseAsync();
  } catch (error) {
    process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
    process.exitCode = 1;
  }
}
