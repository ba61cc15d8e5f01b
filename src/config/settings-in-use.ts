import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Config, Settings } from './load-config';
import { type Setting, shownValue } from './kinds';
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
const FILES = ROWS.filter(([, { reloads, kind }]) => reloads === true && kind.isRead === true);

export class SettingsInUse {
  readonly #atStart: Settings;
  readonly #read: () => Settings;
  #texts: Readonly<Record<string, string>>;
  #files: FileStates;
  #before: { readonly texts: Readonly<Record<string, string>>; readonly files: FileStates };

  /**
   * @param atStart settings with which the service was started
   * @param read reads the current settings
   */
  constructor(atStart: Settings, read: () => Settings) {
    this.#atStart = atStart;
    this.#read = read;
    this.#texts = atStart.texts;
    this.#files = readFileStates(atStart.texts);
    this.#before = { texts: this.#texts, files: this.#files };
  }

  /** Values as texts, for child processes that use them, too. */
  get texts(): Readonly<Record<string, string>> {
    return this.#texts;
  }

  get config(): Config {
    return new Settings(this.#texts).config;
  }

  paths(): readonly string[] {
    const { path, secretFiles } = this.#read();
    const files = [...readFileStates(this.#texts).values()].flatMap(({ paths }) => paths);
    return [...new Set([path, ...secretFiles, ...files])];
  }

  /** Returns what a reload can change, for the log: of a file its path, time and size, of a secret `***`. */
  get shown(): Readonly<Record<string, string>> {
    const reloaded = ROWS.filter(([, { reloads }]) => reloads === true);
    return Object.fromEntries(
      reloaded.map(([name, setting]) => [
        name,
        this.#files.get(name)?.shown ?? shownValue(setting, this.#texts[name] ?? ''),
      ]),
    );
  }

  /** Reads the settings and their files again. Single settings that are unusable keep their values. */
  readAgain(): ReloadResult {
    this.#before = { texts: this.#texts, files: this.#files };
    const { texts, ...ofSettings } = this.#newTexts(this.#read());
    this.#texts = texts;
    this.#files = readFileStates(texts);
    const changedFiles = FILES.filter(
      ([name]) => this.#files.get(name)?.digest !== this.#before.files.get(name)?.digest,
    ).map(([name]) => name);
    return { ...ofSettings, changed: [...ofSettings.changed, ...changedFiles] };
  }

  /** Restores the previous values of settings that turned out to be unusable. */
  goBack(names: readonly string[]): void {
    const { texts, files } = this.#before;
    const kept = Object.entries(texts).filter(([name]) => names.includes(name));
    this.#texts = { ...this.#texts, ...Object.fromEntries(kept) };
    this.#files = new Map([...this.#files, ...[...files].filter(([name]) => names.includes(name))]);
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
      else if (reloads !== true || kind.isRead === true) {
        if (text !== this.#atStart.texts[name]) needRestart.push(name);
      } else if (text !== texts[name]) {
        texts[name] = text;
        changed.push(name);
      }
    }
    return { texts, changed, needRestart, wrong };
  }
}

/** A file that a setting names, together with the files that it names itself. */
interface FileState {
  readonly paths: readonly string[];
  readonly digest: string;
  /** Path, time of the last change and bytes, for people. */
  readonly shown: string;
}

type FileStates = ReadonlyMap<string, FileState>;

function readFileStates(texts: Readonly<Record<string, string>>): FileStates {
  const states = new Map<string, FileState>();
  for (const [name] of FILES) {
    const path = texts[name] ?? '';
    if (path !== '') states.set(name, readFileState(path));
  }
  return states;
}

/** Returns the state of a file; the users of an unreadable one report the reason. */
function readFileState(path: string): FileState {
  const hash = createHash('sha256');
  const paths = [path];
  try {
    const content = readFileSync(path);
    hash.update(content);
    paths.push(...namedFiles(content.toString()).map((file) => resolve(dirname(path), file)));
    for (const file of paths.slice(1)) hash.update(readFileSync(file));
    const stats = paths.map((file) => statSync(file));
    const changed = new Date(Math.max(...stats.map(({ mtimeMs }) => mtimeMs))).toISOString();
    const bytes = stats.reduce((sum, { size }) => sum + size, 0);
    return { paths, digest: hash.digest('base64'), shown: `${path} of ${changed}, ${String(bytes)} bytes` };
  } catch {
    return { paths, digest: 'unreadable', shown: `${path}, unreadable` };
  }
}

/** Returns the files that a JSON file references for its secrets, as `{"file": "..."}`. */
function namedFiles(text: string): readonly string[] {
  return [...text.matchAll(/"file"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(
    ([, file = '""']) => JSON.parse(file) as string,
  );
}
