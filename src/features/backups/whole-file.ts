import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { closeFiles, KeepingError } from '../../store/whole-database';
import { systemErrorCode } from '../../support/errors';
import { makePrivateFolder } from '../../support/private-files';
import {
  cannotWrite,
  createFile,
  partialName,
  removeFile,
  removeLeftBehind,
} from '../../support/replace-file';

/**
 * Writes a file under a temporary name, readable by its owner only, and renames it once it is complete and on
 * disk.
 *
 * @param write - fills the empty file at a path
 * @param complete - gives the file its name, from a temporary one beside it
 * @param workFolder - where it is written; if not beside it, it is copied there
 * @throws KeepingError if the folder cannot be written, and errors of `write`
 */
export async function writeWhole<T>(
  path: string,
  write: (partial: string) => Promise<T>,
  complete: (partial: string) => void | Promise<void>,
  workFolder = dirname(path),
): Promise<T> {
  const folder = dirname(path);
  const partial = partialName(join(workFolder, basename(path)));
  const beside = workFolder === folder ? partial : partialName(path);
  let created: FileIdentity;
  try {
    makePrivateFolder(folder);
    for (const each of new Set([folder, workFolder])) removeLeftBehind(each);
    created = make(partial);
  } catch (error) {
    throw notWritable(folder, error);
  }
  try {
    const written = await write(partial).finally(closeFiles);
    refuseReplaced(partial, created);
    try {
      // To a new name, which must not be taken, not even by a link.
      if (beside !== partial) await copyFile(partial, beside, constants.COPYFILE_EXCL);
      sync(beside, 'r+');
      await complete(beside);
      // So that the name is on disk, too; Windows, which cannot open folders, flushes names by itself.
      if (process.platform !== 'win32') sync(folder, 'r');
    } catch (error) {
      throw error instanceof KeepingError ? error : notWritable(folder, error);
    }
    return written;
  } finally {
    // The file already has its name, unless something failed. On Windows a virus scanner may have it open:
    // the next run removes what is left.
    const names = ['', '-journal', '-wal', '-shm'].map((ending) => partial + ending);
    for (const name of [...names, beside]) removeFile(name);
  }
}

/** Identifies a file, whatever its name. */
type FileIdentity = Pick<Stats, 'ino' | 'dev'>;

function make(path: string): FileIdentity {
  const file = createFile(path);
  try {
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Refuses a file whose name now leads elsewhere: SQLite opens files by name and follows links, and others may
 * be able to write to the folder.
 *
 * @throws KeepingError
 */
export function refuseReplaced(path: string, { ino, dev }: FileIdentity, stat = lstatSync): void {
  const now = stat(path, { throwIfNoEntry: false });
  if (now?.ino === ino && now.dev === dev) return;
  throw new KeepingError(
    `${path} was replaced meanwhile. Check who can write to the folder ${dirname(path)}.`,
  );
}

/**
 * Gives a file a second name that is not in use; {@link writeWhole} removes the first one.
 *
 * @throws KeepingError if the name is taken
 */
export function nameAnew(partial: string, path: string): void {
  try {
    linkSync(partial, path);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw new KeepingError(`${path} already exists.`);
    // For file systems without hard links.
    renameSync(partial, path);
  }
}

function sync(path: string, mode: 'r' | 'r+'): void {
  const file = openSync(path, mode);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function notWritable(folder: string, error: unknown): KeepingError {
  return new KeepingError(cannotWrite(`to the folder ${folder}`, error), { cause: error });
}
