import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { errorWord, systemErrorCode } from '../../../support/errors';
import { makePrivateFolder } from '../../../support/private-files';
import { openToAppend } from '../../../support/regular-file';
import type { HttpRequest } from '../messages';
import { writeLine } from '../traffic/own-lines';

/** Outcome of recording a request: done, no room for it, or a body that is too long. */
export type RecordOutcome = 'recorded' | 'dropped' | 'too_large';

interface RecorderOptions {
  /**
   * Path of the current file; earlier files have its name with the time of their end. Undefined records
   * nothing.
   */
  readonly path: string | undefined;
  /** Maximum total size of all files, in bytes. */
  readonly maxBytes: number;
  readonly note: (outcome: RecordOutcome, requests: number) => void;
  /** Called with one word if the file cannot be written. */
  readonly onError: (word: string) => void;
}

/** A file is ended at this share of the total; data waiting by then may double it. */
const SHARE = 1 / 8;
/** Time at which this process last ended a file, in milliseconds: names contain times and must be unique. */
let lastEnd = 0;
/** Maximum amount waiting for the disk; requests beyond it are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Appends requests to a file, in the background; several processes may do so at once. */
export class Recorder {
  readonly #options: RecorderOptions;
  /** Size at which a file is ended, in bytes. */
  readonly #longEnough: number;
  /** Path of the last file, also when it is no longer in use: what waits is still written. */
  #path = '';
  #isOn = false;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** True if the last write may be incomplete; readers skip the empty line that follows. */
  #isCut = true;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#longEnough = options.maxBytes * SHARE;
    this.use(options.path);
  }

  /** True while requests are recorded. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Records to a file from now on; undefined ends the recording. */
  use(path: string | undefined): void {
    this.#isOn = path !== undefined;
    this.#path = path ?? this.#path;
  }

  /** @param request undefined if its body was too long to be kept */
  record(request: HttpRequest | undefined): void {
    if (request === undefined) {
      this.#options.note('too_large', 1);
      return;
    }
    const line = writeLine(request);
    if (this.#waitingBytes + line.length > Math.min(MAX_WAITING_BYTES, this.#longEnough)) {
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
      const path = this.#path;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        const size = await append(path, `${this.#isCut ? '\n' : ''}${lines.join('')}`);
        this.#isCut = false;
        this.#options.note('recorded', lines.length);
        // On Windows, a program that has the file open prevents this; the next write tries again.
        if (size >= this.#longEnough) await this.#beginNew(path).catch(this.#report);
      } catch (error) {
        this.#isCut = true;
        this.#options.note('dropped', lines.length);
        this.#report(error);
      }
    }
    this.#writing = undefined;
  }

  readonly #report = (error: unknown): void => {
    this.#options.onError(errorWord(error));
  };

  /**
   * Begins a new file. If two processes do so at once, there is one more file, and nothing is lost, because
   * names are unique.
   */
  async #beginNew(path: string): Promise<void> {
    lastEnd = Math.max(Date.now(), lastEnd + 1);
    const ended = new Date(lastEnd).toISOString().replaceAll(':', '');
    await ignoringMissing(rename(path, `${path}.${ended}-${String(process.pid)}`));
    const folder = dirname(path);
    const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.`)).sort();
    // Room left beside the file being written.
    let room = this.#options.maxBytes - 2 * this.#longEnough;
    for (const name of names.reverse()) {
      const size = (await ignoringMissing(lstat(join(folder, name))))?.size ?? 0;
      room -= size;
      if (room < 0) await rm(join(folder, name), { force: true });
    }
  }
}

/**
 * Opens the file for each write: another process may have begun a new one, or the operator may have moved it.
 *
 * @returns its size in bytes
 */
async function append(path: string, text: string): Promise<number> {
  makePrivateFolder(dirname(path));
  const file = await openToAppend(path);
  try {
    await file.appendFile(text);
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Ignores a missing file, which another process may have removed or renamed. */
async function ignoringMissing<T>(done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
