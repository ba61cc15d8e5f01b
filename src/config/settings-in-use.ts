import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Config, Settings } from './load-config';
import { optionalFile, type Setting } from './kinds';
import { type SettingName, SETTINGS } from './settings';

/** What goes by files that settings name, or by secrets, and can take them anew while the service runs. */
export interface Reloadable {
  /** The settings that it then goes by, or whose files it reads. */
  readonly settings: readonly SettingName[];
  /**
   * What begins from now on goes by what they hold now.
   *
   * @throws OperatorError where that cannot be used; then nothing has changed
   */
  reload(config: Config): void;
}

/** What could not be taken anew, so that what was there before still counts. */
export interface Wrong {
  /** Settings, or the file of settings where that cannot be used as a whole. */
  readonly names: readonly string[];
  /** One line: what is wrong, where, and what to do. */
  readonly reason: string;
}

/** How the settings and the files that they name differ from what is in use. */
export interface Renewal {
  /** Settings that have another value, or name a file that holds something else. */
  readonly changed: readonly SettingName[];
  /** Those that differ from the start of the service, and count only after the next. */
  readonly needRestart: readonly SettingName[];
  readonly wrong: readonly Wrong[];
}

type Rows = readonly (readonly [SettingName, Setting])[];

// Object.entries cannot say in its type that these are the table's own keys.
const ROWS = Object.entries<Setting>(SETTINGS) as unknown as Rows;
const FILES = ROWS.filter(([, { reloads, kind }]) => reloads === true && kind === optionalFile);

/** The settings that the service goes by, and what has become of them since. */
export class SettingsInUse {
  readonly #atStart: Settings;
  readonly #read: () => Settings;
  #texts: Readonly<Record<string, string>>;
  #digests: Digests;
  /** Those before the last time that they were read again. */
  #before: { readonly texts: Readonly<Record<string, string>>; readonly digests: Digests };

  /**
   * @param atStart by which the service was started
   * @param read reads the settings as they are now
   */
  constructor(atStart: Settings, read: () => Settings) {
    this.#atStart = atStart;
    this.#read = read;
    this.#texts = atStart.texts;
    this.#digests = digestsOf(atStart.texts);
    this.#before = { texts: this.#texts, digests: this.#digests };
  }

  /** For a process that is to go by them, too. */
  get texts(): Readonly<Record<string, string>> {
    return this.#texts;
  }

  get config(): Config {
    return new Settings(this.#texts).config;
  }

  /** Reads them again, and finds out what the files hold. Single settings that cannot be used stay as they are. */
  readAgain(): Renewal {
    this.#before = { texts: this.#texts, digests: this.#digests };
    const { texts, ...ofSettings } = this.#newTexts(this.#read());
    this.#texts = texts;
    this.#digests = digestsOf(texts);
    const changedFiles = FILES.filter(
      ([name]) => this.#digests.get(name) !== this.#before.digests.get(name),
    ).map(([name]) => name);
    return { ...ofSettings, changed: [...ofSettings.changed, ...changedFiles] };
  }

  /** Some of what was read again could not be used after all. */
  goBack(names: readonly string[]): void {
    const { texts, digests } = this.#before;
    const kept = Object.entries(texts).filter(([name]) => names.includes(name));
    this.#texts = { ...this.#texts, ...Object.fromEntries(kept) };
    this.#digests = new Map([...this.#digests, ...[...digests].filter(([name]) => names.includes(name))]);
  }

  #newTexts(read: Settings): Renewal & { readonly texts: Readonly<Record<string, string>> } {
    const texts = { ...this.#texts };
    const unreadable = read.fileProblem;
    if (unreadable !== undefined) {
      const wrong = [{ names: [read.path], reason: unreadable }];
      return { texts, changed: [], needRestart: [], wrong };
    }
    const changed: SettingName[] = [];
    const needRestart: SettingName[] = [];
    const wrong: Wrong[] = [];
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

/** Of what the files hold that are read again; what cannot be read has none, and who uses it says why. */
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

/** Returns the files that a JSON file names for its secrets, as `{"file": "..."}`. */
function namedFiles(text: string): readonly string[] {
  return [...text.matchAll(/"file"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(
    ([, file = '""']) => JSON.parse(file) as string,
  );
}
