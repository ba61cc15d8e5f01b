import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { errorWord, systemErrorCode } from '../../support/errors';
import { makePrivateFolder, PRIVATE_FILE } from '../../support/private-files';
import type { HttpRequest } from '../messages';
import { writeLine } from '../traffic/own-lines';

/** What became of a request that was to be recorded: there was no room for it, or its body is too long. */
export type RecordOutcome = 'recorded' | 'dropped' | 'too_large';

export interface RecorderOptions {
  /** Of the file that is written; those that it was before have its name, and when they ended. */
  readonly path: string;
  /** Most that all of them may have together, in bytes. */
  readonly mostBytes: number;
  /** Told of each request, when it is known what became of it. */
  readonly note: (outcome: RecordOutcome, requests: number) => void;
  /** Told in a word why the file cannot be written. */
  readonly onError: (word: string) => void;
}

/** A file is ended at this share of all; what is then waiting for it may make it as long again. */
const SHARE = 1 / 8;
/** When a file of this process was ended last, in milliseconds: names are of moments, and no two are the same. */
let lastEnd = 0;
/** What may wait for the disk; a request beyond it is dropped. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/** Appends requests to a file, which several processes may do at once. Nobody waits for it. */
export class Recorder {
  readonly #options: RecorderOptions;
  /** When a file is ended, in bytes. */
  readonly #longEnough: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** What was written last may have been cut off: whoever reads passes over an empty line. */
  #isCut = true;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#longEnough = options.mostBytes * SHARE;
  }

  /** @param request undefined where its body was too long to be kept */
  record(request: HttpRequest | undefined): void {
    if (request === undefined) {
      this.#options.note('too_large', 1);
      return;
    }
    const line = writeLine(request);
    if (this.#waitingBytes + line.length > Math.min(MOST_WAITING_BYTES, this.#longEnough)) {
      this.#options.note('dropped', 1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#append(`${this.#isCut ? '\n' : ''}${lines.join('')}`);
        this.#isCut = false;
        this.#options.note('recorded', lines.length);
      } catch (error) {
        this.#isCut = true;
        this.#options.note('dropped', lines.length);
        this.#options.onError(errorWord(error));
      }
    }
    this.#writing = undefined;
  }

  /** Opened for each write: another process may have begun a new file, or the operator moved it away. */
  async #append(text: string): Promise<void> {
    const { path } = this.#options;
    makePrivateFolder(dirname(path));
    const file = await open(path, 'a', PRIVATE_FILE);
    try {
      await file.appendFile(text);
      const { size } = await file.stat();
      if (size < this.#longEnough) return;
    } finally {
      await file.close();
    }
    await this.#beginNew();
  }

  /** Two processes that do so at once make one file more, and lose nothing: no two names are the same. */
  async #beginNew(): Promise<void> {
    const { path, mostBytes } = this.#options;
    lastEnd = Math.max(Date.now(), lastEnd + 1);
    const ended = new Date(lastEnd).toISOString().replaceAll(':', '');
    await ignoringMissing(rename(path, `${path}.${ended}-${String(process.pid)}`));
    const folder = dirname(path);
    const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.`)).sort();
    // What the one that is written may take.
    let room = mostBytes - 2 * this.#longEnough;
    for (const name of names.reverse()) {
      const size = (await ignoringMissing(stat(join(folder, name))))?.size ?? 0;
      room -= size;
      if (room < 0) await rm(join(folder, name), { force: true });
    }
  }
}

/** Another process may have been quicker. */
async function ignoringMissing<T>(done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
