import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { errorWord, systemErrorCode } from '../../support/errors';
import { makePrivateFolder, PRIVATE_FILE } from '../../support/private-files';
import { KeepingError } from './keeping-error';

/** Those beside a file that were not written to for so long are left from a command that was killed. */
const LEFT_BEHIND_MS = 3_600_000;
const PARTIAL = /\.[0-9a-f]{12}\.partial(?:-journal|-wal|-shm)?$/;

/**
 * Writes a file under another name beside it, for its owner alone, and gives it its own name when it is complete and
 * on disk.
 *
 * @param write - fills the empty file at a path
 * @param complete - gives the file its name; default: in place of one that is there
 * @throws KeepingError where the folder cannot be written, and what `write` throws
 */
export async function writeWhole<T>(
  path: string,
  write: (partial: string) => Promise<T>,
  complete: (partial: string) => void = (partial) => {
    renameSync(partial, path);
  },
): Promise<T> {
  const folder = dirname(path);
  const partial = `${path}.${randomBytes(6).toString('hex')}.partial`;
  try {
    makePrivateFolder(folder);
    removeLeftBehind(folder, basename(path));
    closeSync(openSync(partial, 'wx', PRIVATE_FILE));
  } catch (error) {
    throw notWritable(folder, error);
  }
  try {
    const written = await write(partial);
    try {
      sync(partial);
      complete(partial);
      syncFolder(folder);
    } catch (error) {
      throw error instanceof KeepingError ? error : notWritable(folder, error);
    }
    return written;
  } finally {
    // In place already, unless something failed.
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(partial + ending, { force: true });
  }
}

/** Gives a file a name that no other file has. @throws KeepingError where one has it */
export function nameAnew(partial: string, path: string): void {
  try {
    linkSync(partial, path);
    unlinkSync(partial);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw new KeepingError(`${path} is there already.`);
    // A file system without such links.
    renameSync(partial, path);
  }
}

/** Takes away what commands that were killed have left of a file, or of all files that a name begins so. */
export function removeLeftBehind(folder: string, beginning: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(beginning) || !PARTIAL.test(name)) continue;
    const { mtimeMs = 0 } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) rmSync(join(folder, name), { force: true });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** So that the name is on disk, too; where the system opens no folders it does so by itself. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function notWritable(folder: string, error: unknown): KeepingError {
  return new KeepingError(`The folder ${folder} cannot be written (${errorWord(error)}).`, {
    cause: error,
  });
}
