import type { z } from 'zod';

import { fatalMessage, type Finding, OperatorError } from '../errors';
import { type EnvEntry, type EnvFile, readEnvFile } from './env-file';
import type { Setting } from './kinds';
import { shownValue } from './masks';
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

/** A setting as it is in effect. */
export interface EffectiveSetting {
  readonly name: string;
  /** Its value, of a secret what may be shown. */
  readonly shown: string;
  /** Where it comes from, for people. */
  readonly origin: string;
}

const NO_FILE: EnvFile = { path: '', entries: new Map(), findings: [] };

/** Most characters of a wrong value that an error text repeats. */
const SHOWN_CHARACTERS = 60;

/** All settings: their values, where each comes from, and what is wrong with them. */
export class Settings {
  readonly effective: readonly EffectiveSetting[];
  readonly findings: readonly Finding[];
  readonly #file: EnvFile;
  readonly #environment: Environment;
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * The environment wins over the file. What is empty counts as not set, and `{NAME}` in a value stands for the value
   * of a setting further up in the table.
   */
  constructor(environment: Environment, file: EnvFile = NO_FILE) {
    this.#environment = environment;
    this.#file = file;
    const texts = new Map<string, string>();
    const shown = new Map<string, string>();
    const findings = [...file.findings];
    const values = Object.entries<Setting>(SETTINGS).map(([name, setting]): [string, unknown] => {
      const entry = this.#entryOf(name);
      const given = environment[name] ?? entry?.value ?? '';
      const text = fillIn(given === '' ? setting.default : given, texts);
      texts.set(name, text);
      // What a value takes from another is shown of it no more than of that.
      const filled = setting.secret === true ? text : fillIn(given, shown);
      shown.set(name, given === '' ? fillIn(setting.default, shown) : shownValue(setting, filled));

      const result = setting.kind.schema.safeParse(text);
      const problem = entry?.problem ?? (result.success ? undefined : refusal(setting, shown.get(name)));
      if (problem !== undefined) findings.push({ level: 'fatal', message: `${name} ${problem}.` });
      return [name, result.data];
    });
    this.#values = Object.fromEntries(values);
    this.findings = findings;
    this.effective = values.map(([name]) => ({
      name,
      shown: shown.get(name) ?? '',
      origin: this.#originOf(name),
    }));
  }

  /** @throws SettingError for the first thing that keeps them from being used */
  get config(): Config {
    const message = fatalMessage(
      this.findings.map((finding) => ({ ...finding, message: this.located(finding.message) })),
    );
    if (message !== undefined) throw new SettingError(message);
    // The table's own keys and schemas made the entries; Object.fromEntries cannot say so in its type.
    return this.#values as Config;
  }

  /** A line for the operator, with the lines of the file where the settings stand that it names. */
  located(message: string): string {
    const names = new Set(message.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g));
    const places = [...names].flatMap((name) => {
      const entry = this.#entryOf(name);
      return entry === undefined ? [] : `${name} in line ${String(entry.line)}`;
    });
    return places.length === 0 ? message : `${message} [${this.#file.path}: ${places.join(', ')}]`;
  }

  /** Where the file's value of a setting is in effect. */
  #entryOf(name: string): EnvEntry | undefined {
    return this.#environment[name] === undefined ? this.#file.entries.get(name) : undefined;
  }

  #originOf(name: string): string {
    const variable = this.#environment[name];
    const entry = this.#entryOf(name);
    const place = entry === undefined ? 'environment' : `${this.#file.path}, line ${String(entry.line)}`;
    const given = variable ?? entry?.value;
    if (given === undefined) return 'default';
    return given === '' ? `default (empty: ${place})` : place;
  }
}

/**
 * Reads every setting from environment variables and a file, if there is one. It does not throw: who asks for the
 * values gets the first error.
 *
 * @param path - of the file; default: `.env` in the working directory
 */
export function readSettings(environment: Environment, path = '.env'): Settings {
  return new Settings(environment, readEnvFile(path, Object.keys(SETTINGS)));
}

/**
 * The settings of environment variables alone.
 *
 * @throws SettingError for the first setting, in the table's order, whose value is not allowed
 */
export function loadConfig(environment: Environment): Config {
  return new Settings(environment).config;
}

function fillIn(text: string, earlier: ReadonlyMap<string, string>): string {
  return text.replace(/\{([A-Z_]+)\}/g, (whole, name: string) => earlier.get(name) ?? whole);
}

function refusal({ kind, secret = false, default: fallback }: Setting, shown = ''): string {
  const given = secret ? 'a value (not shown)' : JSON.stringify(shown.slice(0, SHOWN_CHARACTERS));
  const allowed = kind.allowed.replaceAll('`', '');
  const usual = fallback === '' ? 'empty' : fallback;
  return `is set to ${given}. Allowed: ${allowed}. Default: ${usual}`;
}

/** Where the database is, and what may be asked of it: for the service and for the commands. */
export function databaseOptions(config: Config) {
  return {
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
  };
}
