import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { StoreError } from '../store-error';
import { sqliteError } from './sqlite-error';

/** Page cache of one connection, in KiB. */
const CACHE_KIB = 16 * 1024;
/** Size to which the write-ahead log is cut after a large import, in bytes. */
const LOG_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Opens one connection. The settings belong to connections, not to the file, so every one is given them;
 * this build of SQLite would take synchronous=NORMAL with a write-ahead log, which loses acknowledged
 * writes when the power fails.
 *
 * @param busyTimeoutMs - how long a statement waits for a lock, with the thread blocked
 * @throws StoreError when the file cannot be opened or is no database
 */
export function openDatabase(path: string, busyTimeoutMs: number): DatabaseSyncInstance {
  let database: DatabaseSyncInstance | undefined;
  try {
    // In the constructor already, because the first pragma may have to wait.
    database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    database.exec('pragma journal_mode = WAL');
    database.exec('pragma synchronous = FULL');
    database.exec('pragma foreign_keys = ON');
    database.exec(`pragma cache_size = -${String(CACHE_KIB)}`);
    database.exec(`pragma journal_size_limit = ${String(LOG_KEPT_BYTES)}`);
    return database;
  } catch (error) {
    database?.close();
    const { trouble, message } = sqliteError(error);
    throw new StoreError(trouble, `${message} File: ${path}.`, error);
  }
}

/**
 * Makes the folder of a database file.
 *
 * @throws StoreError when it cannot be made, or where the file would be there is a folder
 */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StoreError(
      'unavailable',
      `The database folder ${folder} cannot be made (${errorCode(error)}). Choose another place, or allow writing there.`,
      error,
    );
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new StoreError('unavailable', `${path} is a folder. Name the database file itself.`);
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
