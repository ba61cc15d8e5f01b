import { type Alone, move, type MovedTable, type OnRows, undoMove } from './keeping/move';
import { backUp, type BackupOptions, type BackupReport, isSameFile, KeepingError } from './keeping/backup';
import { restore, type RestoreOptions, type RestoreReport } from './keeping/restore';
import { databasePlace, located } from './open-engine';
import { sqlitePath } from '../support/database-url';
import { aloneOnPostgres } from './postgres/postgres-engine';
import { aloneOnSqlite } from './sqlite/sqlite-session';

/** Writes a copy of a SQLite database while others use it, and verifies the copy. @throws KeepingError, StoreError */
export async function backUpDatabase(url: string, options: BackupOptions): Promise<BackupReport> {
  return onFile(url, 'pg_dump', (path) => backUp(path, options));
}

/** Replaces the SQLite database with a backup, while no one has it open. @throws KeepingError, StoreError */
export async function restoreDatabase(url: string, options: RestoreOptions): Promise<RestoreReport> {
  return onFile(url, 'pg_restore', (path) => restore(path, options));
}

async function onFile<T>(url: string, instead: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = sqlitePath(url);
  if (path === undefined) {
    throw new KeepingError(
      `DATABASE_URL is not an SQLite file. For PostgreSQL, use ${instead}; see docs/backup-and-restore.md.`,
    );
  }
  try {
    return await work(path);
  } catch (error) {
    throw located(error, url);
  }
}

/**
 * Copies all content of a database into an empty one, of the same engine or the other, while neither is in use.
 * Afterwards the first one refuses use until that is undone.
 *
 * @returns the tables, equal in both
 * @throws KeepingError, StoreError; nothing is changed then
 */
export async function moveDatabase(from: string, to: string, onRows: OnRows): Promise<readonly MovedTable[]> {
  const [file, other] = [sqlitePath(from), sqlitePath(to)];
  if (from === to || (file !== undefined && other !== undefined && isSameFile(file, other))) {
    throw new KeepingError('This is already the database of DATABASE_URL.');
  }
  return move(aloneOn(from, true), aloneOn(to, false), databasePlace(to), onRows);
}

/** Makes a database usable again that was moved to another one. @returns true if it had been moved */
export function undoMoveOf(url: string): Promise<boolean> {
  return aloneOn(url, true)(undoMove);
}

function aloneOn(url: string, mustExist: boolean): Alone {
  return async (work) => {
    const path = sqlitePath(url);
    try {
      return await (path === undefined ? aloneOnPostgres(url, work) : aloneOnSqlite(path, mustExist, work));
    } catch (error) {
      throw located(error, url);
    }
  };
}
