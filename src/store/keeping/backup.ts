import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { OperatorError, systemErrorCode } from '../../support/errors';
import { makePrivateFolder, othersMayReplaceIn } from '../../support/private-files';
import { cannotWrite, createFile, partialName, removeLeftBehind } from '../../support/replace-file';
import { StoreError } from '../engine/engine';
import { schemaState } from '../migrations/migrate';
import { copyDatabase, type OnPages, type TableRows } from '../sqlite/copy-database';
import { onSqlite } from '../sqlite/sqlite-session';
import { setMark } from './marks';

/** Thrown when a database is not backed up, restored or moved; existing data is unchanged. */
export class KeepingError extends OperatorError {
  override readonly name = 'KeepingError';
}

/**
 * Writes a file under a temporary name, readable by its owner only, and renames it once it is complete and on disk.
 *
 * @param write - fills the empty file at a path
 * @param complete - gives the file its name, from a temporary one beside it
 * @param workFolder - where it is written; if not beside it, it is copied there
 * @throws KeepingError if the folder cannot be written, and errors of `write`
 */
export async function writeWhole<T>(
  path: string,
  write: (partial: string) => Promise<T>,
  complete: (partial: string) => void,
  workFolder = dirname(path),
): Promise<T> {
  const folder = dirname(path);
  const partial = partialName(join(workFolder, basename(path)));
  const beside = workFolder === folder ? partial : partialName(path);
  let created: FileIdentity;
  try {
    makePrivateFolder(folder);
    for (const each of new Set([folder, workFolder])) removeLeftBehind(each, basename(path));
    created = make(partial);
  } catch (error) {
    throw notWritable(folder, error);
  }
  try {
    const written = await write(partial);
    refuseReplaced(partial, created);
    try {
      // To a new name, which must not be taken, not even by a link.
      if (beside !== partial) await copyFile(partial, beside, constants.COPYFILE_EXCL);
      sync(beside, 'r+');
      complete(beside);
      // So that the name is on disk, too; Windows, which cannot open folders, flushes names by itself.
      if (process.platform !== 'win32') sync(folder, 'r');
    } catch (error) {
      throw error instanceof KeepingError ? error : notWritable(folder, error);
    }
    return written;
  } finally {
    // The file already has its name, unless something failed.
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(partial + ending, { force: true });
    rmSync(beside, { force: true });
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
 * Refuses a file whose name now leads elsewhere: SQLite opens files by name and follows links, and others may be able to
 * write to the folder.
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

/** Gives a file a name that is not in use. @throws KeepingError if the name is taken */
export function nameAnew(partial: string, path: string): void {
  try {
    linkSync(partial, path);
    unlinkSync(partial);
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

export interface BackupOptions {
  readonly file: string;
  /** Replaces an existing file. */
  readonly replace: boolean;
  readonly onPages: OnPages;
}

export interface BackupReport {
  /** Absolute path. */
  readonly file: string;
  readonly bytes: number;
  /** When the backup began, in milliseconds since 1970 UTC: it contains everything written before. */
  readonly at: number;
  readonly tables: readonly TableRows[];
}

/**
 * Writes a copy of a database file while others use it, verifies the copy, and records the backup in the database.
 *
 * @param path - of the database
 * @throws KeepingError, StoreError
 */
export async function backUp(
  path: string,
  { replace, onPages, ...options }: BackupOptions,
): Promise<BackupReport> {
  const file = resolve(options.file);
  if (!existsSync(path)) throw new StoreError('no-schema', 'Database file not found.');
  if (isSameFile(path, file)) throw new KeepingError(`${file} is the database itself.`);
  if (!replace && existsSync(file))
    throw new KeepingError(`${file} already exists. To overwrite it, add --replace.`);
  const folder = dirname(file);
  // It may be the place of a disk that is not mounted.
  if (!existsSync(folder)) throw new KeepingError(`The folder ${folder} does not exist. Create it first.`);
  const at = Date.now();
  const tables = await writeWhole(
    file,
    (partial) => copyTo(path, partial, onPages),
    (partial) => {
      if (replace) renameSync(partial, file);
      else nameAnew(partial, file);
    },
    // SQLite opens files by name and follows links, which others could put in the place of the unfinished file.
    othersMayReplaceIn(folder) ? dirname(path) : folder,
  );
  await onSqlite(path, async (session) => {
    // Databases of an earlier version of the program, or of another program, have no table for it.
    const { missing } = await schemaState(session);
    if (missing.length === 0) await setMark(session.kysely, 'last backup', { at, detail: file });
  });
  return { file, bytes: statSync(file).size, at, tables };
}

/** Copies the database, which is only read: a full disk is the backup's. */
async function copyTo(path: string, partial: string, onPages: OnPages): Promise<readonly TableRows[]> {
  try {
    return await copyDatabase(path, partial, onPages);
  } catch (error) {
    if (!(error instanceof StoreError) || error.trouble !== 'full') throw error;
    throw new KeepingError(
      `No backup was made, because the disk of ${dirname(partial)} is full. Free space, or use another folder.`,
      { cause: error },
    );
  }
}

/** Returns true if two paths lead to the same existing file. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
