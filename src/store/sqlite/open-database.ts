import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { makePrivateFile, makePrivateFolder } from '../../support/private-files';
import { StoreError } from '../engine/engine';
import { DatabaseSync, type DatabaseSyncInstance, sqliteError } from './library';

/** How long a statement waits for a lock, with the thread blocked: SQLite's own locks last microseconds. */
const BUSY_TIMEOUT_MS = 5000;
/** Page cache of one connection, in KiB. */
const CACHE_KIB = 16 * 1024;
/** Size to which the write-ahead log is cut after a large import, in bytes. */
const LOG_KEPT_BYTES = 64 * 1024 * 1024;

interface ConnectionOptions {
  /** Whether the kind of its log is left as it is, where nothing is to be changed but rows. */
  readonly asItIs?: boolean;
  readonly readOnly?: boolean;
}

/**
 * Opens one connection. The settings belong to connections, not to the file, so every one is given them;
 * this build of SQLite would take synchronous=NORMAL with a write-ahead log, which loses acknowledged
 * writes when the power fails.
 *
 * @throws StoreError when the file cannot be opened or is no database
 */
export function openDatabase(
  path: string,
  { asItIs = false, readOnly = false }: ConnectionOptions = {},
): DatabaseSyncInstance {
  let database: DatabaseSyncInstance | undefined;
  try {
    // In the constructor already, because the first pragma may have to wait.
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly });
    if (!asItIs) database.exec('pragma journal_mode = WAL');
    database.exec('pragma synchronous = FULL');
    database.exec('pragma foreign_keys = ON');
    // Functions that a tampered schema calls must not act outside the database.
    database.exec('pragma trusted_schema = OFF');
    // What is erased, a code above all, is not left lying in the free space of the file.
    database.exec('pragma secure_delete = ON');
    database.exec(`pragma cache_size = -${String(CACHE_KIB)}`);
    database.exec(`pragma journal_size_limit = ${String(LOG_KEPT_BYTES)}`);
    return database;
  } catch (error) {
    database?.close();
    throw sqliteError(error);
  }
}

/**
 * Makes a database file and its folder where there are none, unless the file must be there already. SQLite gives
 * the files beside it the same mode.
 *
 * @throws StoreError when there can be no such file, or it must be there and is not
 */
export function preparePath(path: string, mustExist: boolean): void {
  const there = existsSync(path);
  if (there && statSync(path).isDirectory()) {
    throw new StoreError('unavailable', 'The path of the database file is a folder.');
  }
  if (mustExist && !there) throw new StoreError('no-schema', 'Database file not found.');
  try {
    makePrivateFolder(dirname(path));
  } catch (error) {
    throw new StoreError('unavailable', 'Cannot create the database folder.', error);
  }
  if (there) return;
  try {
    makePrivateFile(path);
  } catch (error) {
    throw new StoreError('unavailable', 'Cannot create the database file.', error);
  }
}
