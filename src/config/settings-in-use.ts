import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Config, Settings } from './load-config';
import { optionalFile, type Setting } from './kinds';
import { type SettingName, SETTINGS } from './settings';

/** Can reload its files and secrets without a restart. */
export interface Reloadable {
  /** Settings whose values or files it reloads. */
  readonly settings: readonly SettingName[];
  /**
   * Applies the new values to everything that begins from now on.
   *
   * @throws OperatorError if they cannot be used; then nothing has changed
   */
  reload(config: Config): void;
}

/** Settings that could not be reloaded, so that the previous values stay in effect. */
export interface ReloadFailure {
  /** Names of settings, or the settings file if it is unusable as a whole. */
  readonly names: readonly string[];
  /** One line: the problem, its place, and its solution. */
  readonly reason: string;
}

/** Differences of the settings and their files from those in use. */
export interface ReloadResult {
  /** Settings with another value, or naming a file with other contents. */
  readonly changed: readonly SettingName[];
  /** Settings that differ from the start of the service, and need a restart. */
  readonly needRestart: readonly SettingName[];
  readonly wrong: readonly ReloadFailure[];
}

type Rows = readonly (readonly [SettingName, Setting])[];

// Object.entries cannot express in its type that these are the table's own keys.
const ROWS = Object.entries<Setting>(SETTINGS) as unknown as Rows;
const FILES = ROWS.filter(([, { reloads, kind }]) => reloads === true && kind === optionalFile);

/** The settings in use, and their changes since the start. */
export class SettingsInUse {
  readonly #atStart: Settings;
  readonly #read: () => Settings;
  #texts: Readonly<Record<string, string>>;
  #digests: Digests;
  /** State before the last reload. */
  #before: { readonly texts: Readonly<Record<string, string>>; readonly digests: Digests };

  /**
   * @param atStart settings with which the service was started
   * @param read reads the current settings
   */
  constructor(atStart: Settings, read: () => Settings) {
    this.#atStart = atStart;
    this.#read = read;
    this.#texts = atStart.texts;
    this.#digests = digestsOf(atStart.texts);
    this.#before = { texts: this.#texts, digests: this.#digests };
  }

  /** Values as texts, for child processes that use them, too. */
  get texts(): Readonly<Record<string, string>> {
    return this.#texts;
  }

  get config(): Config {
    return new Settings(this.#texts).config;
  }

  /** Reads the settings and their files again. Single settings that are unusable keep their values. */
  readAgain(): ReloadResult {
    this.#before = { texts: this.#texts, digests: this.#digests };
    const { texts, ...ofSettings } = this.#newTexts(this.#read());
    this.#texts = texts;
    this.#digests = digestsOf(texts);
    const changedFiles = FILES.filter(
      ([name]) => this.#digests.get(name) !== this.#before.digests.get(name),
    ).map(([name]) => name);
    return { ...ofSettings, changed: [...ofSettings.changed, ...changedFiles] };
  }

  /** Restores the previous values of settings that turned out to be unusable. */
  goBack(names: readonly string[]): void {
    const { texts, digests } = this.#before;
    const kept = Object.entries(texts).filter(([name]) => names.includes(name));
    this.#texts = { ...this.#texts, ...Object.fromEntries(kept) };
    this.#digests = new Map([...this.#digests, ...[...digests].filter(([name]) => names.includes(name))]);
  }

  #newTexts(read: Settings): ReloadResult & { readonly texts: Readonly<Record<string, string>> } {
    const texts = { ...this.#texts };
    const unreadable = read.fileProblem;
    if (unreadable !== undefined) {
      const wrong = [{ names: [read.path], reason: unreadable }];
      return { texts, changed: [], needRestart: [], wrong };
    }
    const changed: SettingName[] = [];
    const needRestart: SettingName[] = [];
    const wrong: ReloadFailure[] = [];
    for (const [name, { reloads, kind }] of ROWS) {
      const text = read.texts[name] ?? '';
      const problem = read.problems.get(name);
      if (problem !== undefined) wrong.push({ names: [name], reason: read.located(problem) });
      else if (reloads !== true || kind === optionalFile) {
        if (text !== this.#atStart.texts[name]) needRestart.push(name);
      } else if (text !== texts[name]) {
        texts[name] = text;
        changed.push(name);
      }
    }
    return { texts, changed, needRestart, wrong };
  }
}

type Digests = ReadonlyMap<string, string>;

/** Returns digests of the files that are reloaded; unreadable files have none, and their users report the reason. */
function digestsOf(texts: Readonly<Record<string, string>>): Digests {
  const digests = new Map<string, string>();
  for (const [name] of FILES) {
    const path = texts[name] ?? '';
    if (path !== '') digests.set(name, digestOf(path));
  }
  return digests;
}

function digestOf(path: string): string {
  const hash = createHash('sha256');
  try {
    const content = readFileSync(path);
    hash.update(content);
    for (const file of namedFiles(content.toString()))
      hash.update(readFileSync(resolve(dirname(path), file)));
    return hash.digest('base64');
  } catch {
    return 'unreadable';
  }
}

/** Returns the files that a JSON file references for its secrets, as `{"file": "..."}`. */
function namedFiles(text: string): readonly string[] {
  return [...text.matchAll(/"file"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(
    ([, file = '""']) => JSON.parse(file) as string,
  );
}
