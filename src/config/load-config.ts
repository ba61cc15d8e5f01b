import { readFileSync, statSync } from 'node:fs';

import type { z } from 'zod';

import { errorWord, fatalMessage, type Finding, OperatorError } from '../support/errors';
import { type EnvEntry, type EnvFile, readEnvFile } from './env-file';
import { type Setting, shownValue } from './kinds';
import { SHARED_NAMES } from './proxy-settings';
import { type SettingName, SETTINGS } from './settings';

const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1)$/i;

/** Whether only this machine reaches what listens on an address; undefined listens on all. */
export function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}

/** The setting that names a file with the value of a secret one. */
function fileSettingOf(secret: string): string {
  return `${secret}_FILE`;
}

/** Those of all secrets. */
export const SECRET_FILE_SETTINGS: readonly string[] = Object.entries<Setting>(SETTINGS)
  .filter(([, { secret }]) => secret === true)
  .map(([name]) => fileSettingOf(name));

/** What a file holds; empty where it cannot be used, and the problem is a line that says why, and what to do. */
interface SecretFile {
  readonly text: string;
  readonly problem?: string;
}

/**
 * Reads a secret. The line end behind it, which editors and `echo` write, is no part of it.
 *
 * @param secret - the setting whose value it is
 */
function readSecretFile(path: string, secret: SettingName): SecretFile {
  const setting = fileSettingOf(secret);
  const wrong = (what: string): SecretFile => ({
    text: '',
    problem: `${setting}: ${path} ${what}.`,
  });
  let bytes: Buffer;
  try {
    // A pipe gives what it holds once, and the next who reads it waits for ever.
    if (!statSync(path).isFile()) return wrong('is not a file. Expected a file that contains the value');
    bytes = readFileSync(path);
  } catch (error) {
    return wrong(`cannot be read (${errorWord(error)}). Expected a file that the service’s user may read`);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/(?<![\r\n])[\r\n]+$/, '');
    return text === '' ? wrong(`is empty. Write the value into it, or remove ${setting}`) : { text };
  } catch {
    return wrong('is not UTF-8. Save it as UTF-8');
  }
}

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
interface EffectiveSetting {
  readonly name: string;
  /** Its value, of a secret what may be shown. */
  readonly shown: string;
  /** Where it comes from, for people. */
  readonly origin: string;
}

const NO_FILE: EnvFile = { path: '', entries: new Map(), findings: [] };

/** Most characters of a wrong value that an error text repeats. */
const SHOWN_CHARACTERS = 60;

/** What was given for one setting. */
interface Given {
  /** As given, empty where nothing was. */
  readonly text: string;
  /** The file that it lies in, and how that is called in texts; undefined where it lies in none. */
  readonly file?: { readonly path: string; readonly name: string };
  /** Why it cannot be used, as a line. */
  readonly problem?: string | undefined;
}

/** All settings: their values, where each comes from, and what is wrong with them. */
export class Settings {
  readonly effective: readonly EffectiveSetting[];
  readonly findings: readonly Finding[];
  /** Why single settings cannot be used, each as a line. */
  readonly problems: ReadonlyMap<string, string>;
  /** The values as texts: an environment of them makes the same settings. */
  readonly texts: Readonly<Record<string, string>>;
  /** The files that hold secrets, of those that settings name. */
  readonly secretFiles: readonly string[];
  readonly #file: EnvFile;
  readonly #environment: Environment;
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * The environment wins over the file. What is empty counts as not set, and `{NAME}` in a value stands for the value
   * of a setting further up in the table. A secret is given as it is, or lies in the file that its own setting names.
   */
  constructor(environment: Environment, file: EnvFile = NO_FILE) {
    this.#environment = { ...environment, ...sharedNames(environment) };
    this.#file = file;
    const texts = new Map<string, string>();
    const shown = new Map<string, string>();
    const problems = new Map<string, string>();
    const effective: EffectiveSetting[] = [];
    const values: [string, unknown][] = [];
    const secretFiles: string[] = [];
    for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
      const given = this.#given(name as SettingName, setting, texts);
      const text = fillIn(given.text === '' ? setting.default : given.text, texts);
      texts.set(name, text);
      // What a value takes from another is shown of it no more than of that.
      const filled = setting.secret === true ? text : fillIn(given.text, shown);
      const shownText = given.text === '' ? fillIn(setting.default, shown) : shownValue(setting, filled);
      shown.set(name, shownText);

      const result = setting.kind.schema.safeParse(text);
      const problem =
        given.problem ??
        (result.success ? undefined : `${name}: ${refusal(setting, text, shownText, given.file?.name)}.`);
      if (problem !== undefined) problems.set(name, problem);
      values.push([name, result.data]);
      effective.push({ name, shown: shownText, origin: given.file?.name ?? this.#originOf(name) });
      if (setting.holdsSecret === true && text !== '') secretFiles.push(text);
      if (given.file !== undefined) secretFiles.push(given.file.path);
    }
    this.#values = Object.fromEntries(values);
    this.problems = problems;
    this.findings = [
      ...file.findings,
      ...[...problems.values()].map((message): Finding => ({ level: 'fatal', message })),
    ];
    this.effective = effective;
    this.texts = Object.fromEntries(texts);
    this.secretFiles = secretFiles;
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
      return entry === undefined ? [] : `${name}: line ${String(entry.line)}`;
    });
    return places.length === 0 ? message : `${message} [${this.#file.path}, ${places.join(', ')}]`;
  }

  /** Of the file of settings. */
  get path(): string {
    return this.#file.path;
  }

  /** Why that cannot be used at all, if it cannot. */
  get fileProblem(): string | undefined {
    return fatalMessage(this.#file.findings);
  }

  #given(name: SettingName, { secret }: Setting, texts: ReadonlyMap<string, string>): Given {
    const entry = this.#entryOf(name);
    const text = this.#environment[name] ?? entry?.value ?? '';
    const problem = entry?.problem && `${name} ${entry.problem}.`;
    const setting = fileSettingOf(name);
    const pathEntry = this.#entryOf(setting);
    const path = fillIn(this.#environment[setting] ?? pathEntry?.value ?? '', texts);
    if (secret !== true || path === '') return { text, problem };
    const file = { path, name: `${path} (${setting})` };
    if (pathEntry?.problem !== undefined) return { text, file, problem: `${setting} ${pathEntry.problem}.` };
    if (text !== '')
      return { text, file, problem: `${name} and ${setting} are both set. Remove one of them.` };
    return { file, ...readSecretFile(path, name) };
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

/** The variable that names another file than `.env`, which then must be there. */
const FILE_VARIABLE = 'SETTINGS_FILE';

/**
 * Reads every setting from environment variables and a file, if there is one. It does not throw: who asks for the
 * values gets the first error.
 *
 * @param path - of the file where the environment names none; default: `.env` in the working directory
 */
export function readSettings(environment: Environment, path = '.env'): Settings {
  const named = environment[FILE_VARIABLE] ?? '';
  const names = [...Object.keys(SETTINGS), ...SECRET_FILE_SETTINGS];
  const file = readEnvFile(named === '' ? path : named, names, named !== '');
  return new Settings(environment, file);
}

/**
 * The settings of environment variables alone.
 *
 * @throws SettingError for the first setting, in the table's order, whose value is not allowed
 */
export function loadConfig(environment: Environment): Config {
  return new Settings(environment).config;
}

/** Returns the settings that other programs also read under their names in lower case, which come first. */
function sharedNames(environment: Environment): Environment {
  return Object.fromEntries(
    SHARED_NAMES.flatMap((name) => {
      const value = environment[name.toLowerCase()];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function fillIn(text: string, earlier: ReadonlyMap<string, string>): string {
  return text.replace(/\{([A-Z_]+)\}/g, (whole, name: string) => earlier.get(name) ?? whole);
}

function refusal(
  { kind, secret = false, default: fallback }: Setting,
  text: string,
  shown: string,
  file: string | undefined,
): string {
  const hidden = file === undefined ? 'the value (not shown)' : `the content of ${file} (not shown)`;
  const given = secret ? hidden : JSON.stringify(shown.slice(0, SHOWN_CHARACTERS));
  const allowed = kind.allowed.replaceAll('`', '');
  const usual = fallback === '' ? 'empty' : fallback;
  const advice = kind.advice?.(text);
  return `${given} is not valid. Expected: ${allowed}. Default: ${usual}${advice === undefined ? '' : `. ${advice}`}`;
}

/** Where the database is, and what may be asked of it: for the service and for the commands. */
export function databaseOptions(config: Config) {
  return {
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
  };
}
