import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { errorWord, tryTo } from './errors';
import { PRIVATE_FILE } from './private-files';
import { IrregularFileError, readAdvice } from './regular-file';

/** Windows does not have the second flag, although the typings say so. */
const CREATE =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_EXCL |
  ((constants as Partial<typeof constants>).O_NOFOLLOW ?? 0);

/** Returns an unpredictable name beside a file, under which it is written before it gets its own. */
export function partialName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.partial`;
}

/**
 * Creates an empty file under a name that nothing may have yet, not even a link.
 *
 * @returns its descriptor
 * @throws the file system's error
 */
export function createFile(path: string, mode = PRIVATE_FILE): number {
  return openSync(path, CREATE, mode);
}

/**
 * Writes a file under a new name beside it, and renames it once it is complete and on disk: readers find the
 * old file or the new one, and nothing is written to where a link leads. Only its owner can read the file.
 *
 * @throws IrregularFileError if the name belongs to something else than a regular file, or the file system's
 * error
 */
export async function replaceFile(path: string, content: string | AsyncIterable<string>): Promise<void> {
  prepareToReplace(path);
  const partial = partialName(path);
  try {
    const file = await open(partial, CREATE, PRIVATE_FILE);
    try {
      for await (const text of typeof content === 'string' ? [content] : content) await file.appendFile(text);
      await file.sync();
    } finally {
      // Windows renames no open file.
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Does the same as {@link replaceFile} at once. @param mode - of the new file */
export function replaceFileSync(path: string, content: string | Buffer, mode = PRIVATE_FILE): void {
  prepareToReplace(path);
  const partial = partialName(path);
  try {
    const file = createFile(partial, mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/**
 * Removes leftovers from the file's folder, and refuses a name that is not a regular file's: a rename would
 * replace a device or a pipe, and the operator who made a link wants to keep it.
 */
function prepareToReplace(path: string): void {
  tryTo(() => removeLeftBehind(dirname(path)));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new IrregularFileError(found.isSymbolicLink() ? 'is a link' : 'is not a regular file');
}

/** Temporary files not written to for this long, in milliseconds, are leftovers of killed commands. */
const LEFT_BEHIND_MS = 3_600_000;
const PARTIAL = /\.[0-9a-f]{12}\.partial(?:-journal|-wal|-shm)?$/;

/** Removes leftovers of killed commands from a folder. On Windows, a file that is open stays. */
export function removeLeftBehind(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!PARTIAL.test(name)) continue;
    const { mtimeMs = Infinity } = lstatSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) removeFile(join(folder, name));
  }
}

/** Removes a file. @returns false if that fails: on Windows, another program may have it open */
export function removeFile(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates a file in a folder and removes it: only that shows whether the folder can be written to, also
 * within the sandbox of the process.
 *
 * @throws the file system's error
 */
export function tryToWriteIn(folder: string): void {
  const path = partialName(join(folder, 'check'));
  closeSync(createFile(path));
  rmSync(path);
}

/** Codes of the errors that a sandbox causes, or another owner. */
const DENIED = /^(?:EACCES|EPERM|EROFS)$/;

/**
 * Returns advice if the code of a failed write may be due to another program, to a folder's owner or to a
 * sandbox, otherwise nothing.
 */
export function writeAdvice(code: string, { platform }: Pick<typeof process, 'platform'> = process): string {
  if (!DENIED.test(code)) return readAdvice(code);
  if (platform === 'win32')
    return ' Close the file in other programs, such as Excel, and let the service’s account modify the folder.';
  return ' The service’s user must own the folder, and under systemd ReadWritePaths= of the unit must name it.';
}

/** Describes a failed write in a line, with advice. @param what - path, or `to the folder` and its path */
export function cannotWrite(what: string, error: unknown): string {
  const code = errorWord(error);
  return `Cannot write ${what} (${code}).${writeAdvice(code)}`;
}
