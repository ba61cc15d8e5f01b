import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { type Session, StoreError } from '../engine';
import { schemaState } from '../migrations';
import { copyDatabase, type OnPages, onSqlite, type TableRows } from '../sqlite';
import { KeepingError } from './keeping-error';
import { setMark } from './marks';
import { nameAnew, writeWhole } from './partial-file';

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
  if (!existsSync(path)) throw new StoreError('no-schema', 'There is no such database file.');
  if (isSameFile(path, file)) throw new KeepingError(`${file} is the database itself.`);
  if (!replace && existsSync(file))
    throw new KeepingError(`${file} is there already; --replace puts the backup in its place.`);
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
      `The disk of ${dirname(partial)} is full: no backup was written. Free space there, or name another folder.`,
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
