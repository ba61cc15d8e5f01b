import { join } from 'node:path';

import type { z } from 'zod';

import { errorWord, fatalMessage, type Finding, OperatorError } from '../support/errors';
import { IrregularFileError, readRegularFile } from '../support/regular-file';
import { type EnvEntry, type EnvFile, readEnvFile } from './env-file';
import { type Setting, shownValue } from './kinds';
import { SHARED_NAMES } from './proxy-settings';
import { RETIRED_SETTINGS } from './retired-settings';
import { type SettingName, SETTINGS } from './settings';

const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1)$/i;

/** Returns true for an address reachable from this machine only; undefined listens on all addresses. */
export function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}

/** Returns the name of the setting that names a file with a secret's value. */
function fileSettingFor(secret: string): string {
  return `${secret}_FILE`;
}

export const SECRET_FILE_SETTINGS: readonly string[] = Object.entries<Setting>(SETTINGS)
  .filter(([, { secret }]) => secret === true)
  .map(([name]) => fileSettingFor(name));

/** Contents of a secret's file; empty if unusable, with one line about the problem and its solution. */
interface SecretFile {
  readonly text: string;
  readonly problem?: string;
}

/**
 * Reads a secret, without the final line end that editors and `echo` write.
 *
 * @param secret - name of the secret setting
 */
function readSecretFile(path: string, secret: SettingName): SecretFile {
  const setting = fileSettingFor(secret);
  const wrong = (what: string): SecretFile => ({
    text: '',
    problem: `${setting}: ${path} ${what}.`,
  });
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path);
  } catch (error) {
    if (error instanceof IrregularFileError)
      return wrong('is not a file. Expected a file that contains the value');
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

/** Parsed settings by the names of their environment variables. */
export type Config = {
  readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['kind']['schema']>;
};

/** Thrown for an unusable setting; the message is one line for the operator. */
export class SettingError extends OperatorError {
  override readonly name = 'SettingError';
}

interface EffectiveSetting {
  readonly name: string;
  /** Value for display; the visible part of a secret. */
  readonly shown: string;
  /** Origin of the value, for people. */
  readonly origin: string;
}

const NO_FILE: EnvFile = { path: '', entries: new Map(), findings: [] };

/** Maximum number of characters of an invalid value repeated in an error. */
const SHOWN_CHARACTERS = 60;

interface RawSetting {
  /** As given; empty if absent. */
  readonly text: string;
  /** File that contains it, with its name for messages; undefined if it comes from elsewhere. */
  readonly file?: { readonly path: string; readonly name: string };
  /** Reason why it cannot be used, as a line. */
  readonly problem?: string | undefined;
}

/** All settings: values, origins and problems. */
export class Settings {
  readonly effective: readonly EffectiveSetting[];
  readonly findings: readonly Finding[];
  readonly problems: ReadonlyMap<string, string>;
  /** Values as texts: an environment of them gives the same settings. */
  readonly texts: Readonly<Record<string, string>>;
  /** Files named by settings that contain secrets. */
  readonly secretFiles: readonly string[];
  readonly #file: EnvFile;
  readonly #environment: Environment;
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * The environment takes precedence over the file. An empty value counts as not set, and `{NAME}` in a value
   * is replaced by the value of a setting further up in the table. A secret is given directly, or in the file
   * that its own setting names.
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
      // A value that includes a secret is shown only as far as the secret may be.
      const filled = setting.secret === true ? text : fillIn(given.text, shown);
      const shownText = given.text === '' ? fillIn(setting.default, shown) : shownValue(setting, filled);
      shown.set(name, shownText);

      const result = setting.kind.schema.safeParse(text);
      const problem =
        given.problem ??
        (result.success ? undefined : `${name}: ${refusal(setting, text, shownText, given.file?.name)}.`);
      if (problem !== undefined) problems.set(name, problem);
      values.push([name, result.data]);
      effective.push({ name, shown: shownText, origin: given.file?.name ?? this.#describeOrigin(name) });
      if (setting.holdsSecret === true && text !== '') secretFiles.push(text);
      if (given.file !== undefined) secretFiles.push(given.file.path);
    }
    for (const [name, instead] of Object.entries(RETIRED_SETTINGS))
      if ((this.#environment[name] ?? file.entries.get(name)?.value ?? '') !== '')
        problems.set(name, `${name} is not a setting any more: ${instead}.`);
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

  /** @throws SettingError for the first problem that prevents their use */
  get config(): Config {
    const message = fatalMessage(
      this.findings.map((finding) => ({ ...finding, message: this.located(finding.message) })),
    );
    if (message !== undefined) throw new SettingError(message);
    // The entries come from the table's own keys and schemas, which the type of Object.fromEntries cannot
    // express.
    return this.#values as Config;
  }

  /** Adds the line numbers in the settings file of the settings that a message names. */
  located(message: string): string {
    const names = new Set(message.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g));
    const places = [...names].flatMap((name) => {
      const entry = this.#findEntry(name);
      return entry === undefined ? [] : `${name}: line ${String(entry.line)}`;
    });
    return places.length === 0 ? message : `${message} [${this.#file.path}, ${places.join(', ')}]`;
  }

  get path(): string {
    return this.#file.path;
  }

  /** Reason why the whole file is unusable, if it is. */
  get fileProblem(): string | undefined {
    return fatalMessage(this.#file.findings);
  }

  #given(name: SettingName, { secret }: Setting, texts: ReadonlyMap<string, string>): RawSetting {
    const entry = this.#findEntry(name);
    const text = this.#environment[name] ?? entry?.value ?? '';
    const problem = entry?.problem && `${name} ${entry.problem}.`;
    const setting = fileSettingFor(name);
    const pathEntry = this.#findEntry(setting);
    const path = fillIn(this.#environment[setting] ?? pathEntry?.value ?? '', texts);
    if (secret !== true || path === '') return { text, problem };
    const file = { path, name: `${path} (${setting})` };
    if (pathEntry?.problem !== undefined) return { text, file, problem: `${setting} ${pathEntry.problem}.` };
    if (text !== '')
      return { text, file, problem: `${name} and ${setting} are both set. Remove one of them.` };
    return { file, ...readSecretFile(path, name) };
  }

  /** Returns the file's entry for a setting, if it is in effect. */
  #findEntry(name: string): EnvEntry | undefined {
    return this.#environment[name] === undefined ? this.#file.entries.get(name) : undefined;
  }

  #describeOrigin(name: string): string {
    const variable = this.#environment[name];
    const entry = this.#findEntry(name);
    const place = entry === undefined ? 'environment' : `${this.#file.path}, line ${String(entry.line)}`;
    const given = variable ?? entry?.value;
    if (given === undefined) return 'default';
    return given === '' ? `default (empty: ${place})` : place;
  }
}

/** Variable that names a settings file other than `.env`, which then must exist. */
const FILE_VARIABLE = 'SETTINGS_FILE';

/**
 * Reads all settings from environment variables and an optional file. It does not throw: reading `config`
 * throws the first error.
 *
 * @param path - settings file if the environment names none; default: `.env` in the working directory
 */
export function readSettings(environment: Environment, path = '.env'): Settings {
  const named = environment[FILE_VARIABLE] ?? '';
  const names = [...Object.keys(SETTINGS), ...SECRET_FILE_SETTINGS, ...Object.keys(RETIRED_SETTINGS)];
  const file = readEnvFile(named === '' ? path : named, names, named !== '');
  return new Settings(environment, file);
}

/**
 * Reads the settings from environment variables alone.
 *
 * @throws SettingError for the first setting, in the table's order, with an invalid value
 */
export function loadConfig(environment: Environment): Config {
  return new Settings(environment).config;
}

/** Returns the settings that other programs also read in lower case; the lower-case names take precedence. */
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
  return `${given} is not valid. Expected: ${allowed}. Default: ${usual}\
${advice === undefined ? '' : `. ${advice}`}`;
}

/** Returns time limits in milliseconds; some are shorter where a request may not take long. */
export function timeLimits({ REQUEST_TIMEOUT_SECONDS: seconds, KEEP_ALIVE_SECONDS }: Config) {
  const requestMs = seconds * 1000;
  return {
    headersMs: Math.min(20_000, requestMs),
    requestMs,
    keepAliveMs: KEEP_ALIVE_SECONDS * 1000,
    /** For a caller that does not read. */
    unreadMs: Math.min(30_000, requestMs),
    /** For an operation, after which its caller gets a server fault. */
    operationMs: Math.min(110_000, 2 * requestMs),
    /** From the first SIGTERM or SIGINT until the process exits. */
    stopMs: Math.min(30_000, requestMs),
  };
}

/** Time limit for a statement on PostgreSQL. */
const STATEMENT_TIMEOUT_MS = 10_000;

export function databaseOptions(config: Config) {
  return {
    url: config.DATABASE_URL,
    keys: config.KEY_COLLATION,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    timelinesFile: { path: join(config.DATA_DIR, 'postgres-timelines.json'), isWritten: false },
  };
}
