import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { errorWord, OperatorError, systemErrorCode } from '../../support/errors';
import { makePrivateFolder, PRIVATE_FILE } from '../../support/private-files';
import { type Session, StoreError } from '../engine/engine';
import { schemaState } from '../migrations/migrate';
import { copyDatabase, type OnPages, type TableRows } from '../sqlite/copy-database';
import { onSqlite } from '../sqlite/sqlite-session';
import { setMark } from './marks';

/** Why a database is not backed up, restored or moved; nothing of what was there is changed. */
export class KeepingError extends OperatorError {
  override readonly name = 'KeepingError';
}

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
    if (systemErrorCode(error) === 'EEXIST') throw new KeepingError(`${path} already exists.`);
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
  return new KeepingError(`Cannot write to the folder ${folder} (${errorWord(error)}).`, {
    cause: error,
  });
}

export interface BackupOptions {
  /** Path of the backup. */
  readonly file: string;
  /** Puts it in place of a file that is there. */
  readonly replace: boolean;
  readonly onPages: OnPages;
}

export interface BackupReport {
  /** Absolute path. */
  readonly file: string;
  readonly bytes: number;
  /** When it was begun: it holds all that was written before. Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly tables: readonly TableRows[];
}

/**
 * Writes a copy of a database file while others use it, checks the copy, and notes in the database that there is one.
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
  const at = Date.now();
  const tables = await writeWhole(
    file,
    (partial) => copyTo(path, partial, onPages),
    (partial) => {
      if (replace) renameSync(partial, file);
      else nameAnew(partial, file);
    },
  );
  await onSqlite(path, (session) => noteBackup(session, at, file));
  return { file, bytes: statSync(file).size, at, tables };
}

/** The database is only read: a disk that is full is that of the backup. */
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

/** A database of an earlier version of the program, or of none, has no place for it. */
async function noteBackup(session: Session, at: number, detail: string): Promise<void> {
  const { missing } = await schemaState(session);
  if (missing.length === 0) await setMark(session.kysely, 'last backup', { at, detail });
}

/** Whether two paths lead to one file that is there. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
