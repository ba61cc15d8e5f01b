import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

import type { z } from 'zod';

import { OperatorError } from '../errors';
import type { Setting } from './kinds';
import { type SettingName, SETTINGS } from './settings';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings as read, by the names of their environment variables. */
export type Config = {
  readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['kind']['schema']>;
};

/** A setting that cannot be used as it stands; its message is one line for the operator. */
export class SettingError extends OperatorError {
  override readonly name = 'SettingError';
}

/** Most characters of a wrong value that an error text repeats. */
const SHOWN_CHARACTERS = 60;

/**
 * Reads every setting from environment variables. An empty variable counts as not set, and `{NAME}` in a value
 * stands for the value of a setting further up in the table.
 *
 * @throws SettingError for the first setting, in the table's order, whose value is not allowed
 */
export function loadConfig(environment: Environment): Config {
  const texts = new Map<string, string>();
  const values = Object.entries<Setting>(SETTINGS).map(([name, setting]): [string, unknown] => {
    const given = environment[name] ?? '';
    const text = fillIn(given === '' ? setting.default : given, texts);
    texts.set(name, text);
    return [name, read(name, setting, text)];
  });
  // The table's own keys and schemas made the entries; Object.fromEntries cannot say so in its type.
  return Object.fromEntries(values) as Config;
}

/**
 * Reads a file of `NAME=value` lines; no file is an empty one.
 *
 * @throws SettingError where there is a file that cannot be read
 */
export function readEnvFile(path: string): Environment {
  if (!existsSync(path)) return {};
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SettingError(`The settings file ${path} cannot be read. ${String(error)}`, { cause: error });
  }
}

function fillIn(text: string, earlier: ReadonlyMap<string, string>): string {
  return text.replace(/\{([A-Z_]+)\}/g, (whole, name: string) => earlier.get(name) ?? whole);
}

function read(name: string, { kind, secret = false, default: fallback }: Setting, text: string): unknown {
  const result = kind.schema.safeParse(text);
  if (result.success) return result.data;

  const given = secret ? 'a value (not shown)' : JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
  const allowed = kind.allowed.replaceAll('`', '');
  const usual = fallback === '' ? 'empty' : fallback;
  throw new SettingError(`${name} is set to ${given}. Allowed: ${allowed}. Default: ${usual}.`);
}

/** Where the database is, and what may be asked of it: for the service and for the commands. */
export function databaseOptions(config: Config) {
  return {
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
  };
}
