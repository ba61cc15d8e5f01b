import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { StoreError } from '../../store';
import {
  copyDatabase,
  KeepingError,
  onSqlite,
  type OnPages,
  schemaState,
  setMark,
  type TableRows,
} from '../../store/whole-database';
import { othersMayReplaceIn } from '../../support/private-files';
import { isSameFile } from '../../support/regular-file';
import { onFile } from './on-file';
import { nameAnew, writeWhole } from './whole-file';

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
 * Writes a copy of a database file while others use it, verifies the copy, and records the backup in the
 * database.
 *
 * @param path - of the database
 * @throws KeepingError, StoreError
 */
async function backUp(path: string, { replace, onPages, ...options }: BackupOptions): Promise<BackupReport> {
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
    // SQLite opens files by name and follows links, which others could put in the place of the unfinished
    // file.
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

/**
 * Writes a copy of a SQLite database while others use it, and verifies the copy.
 *
 * @throws KeepingError, StoreError
 */
export async function backUpDatabase(url: string, options: BackupOptions): Promise<BackupReport> {
  return onFile(url, 'pg_dump', (path) => backUp(path, options));
}
