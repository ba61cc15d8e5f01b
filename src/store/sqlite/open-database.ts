import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { makePrivateFile, makePrivateFolder } from '../../support/private-files';
import { StoreError } from '../engine/engine';
import { DatabaseSync, type DatabaseSyncInstance, sqliteError } from './library';

/** Maximum wait of a statement for a lock, blocking the thread: SQLite's own locks last microseconds. */
const BUSY_TIMEOUT_MS = 5000;
/** Page cache of a connection, in KiB. */
const CACHE_KIB = 16 * 1024;
/** Size to which the write-ahead log is truncated after a large import, in bytes. */
const LOG_KEPT_BYTES = 64 * 1024 * 1024;

interface ConnectionOptions {
  /** Keeps the journal mode, for connections that must only change rows. */
  readonly asItIs?: boolean;
  readonly readOnly?: boolean;
}

/**
 * Opens a connection. The settings belong to connections, not to the file, so each one gets them; this build
 * of SQLite would default to synchronous=NORMAL with a write-ahead log, which loses acknowledged writes in a
 * power failure.
 *
 * @throws StoreError when the file cannot be opened or is not a database
 */
export function openDatabase(
  path: string,
  { asItIs = false, readOnly = false }: ConnectionOptions = {},
): DatabaseSyncInstance {
  let database: DatabaseSyncInstance | undefined;
  try {
    // Set in the constructor, because the first pragma may have to wait.
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly });
    if (!asItIs) database.exec('pragma journal_mode = WAL');
    database.exec('pragma synchronous = FULL');
    database.exec('pragma foreign_keys = ON');
    // Functions called by a tampered schema must not act outside the database.
    database.exec('pragma trusted_schema = OFF');
    // Erased data, codes above all, must not remain in the free space of the file.
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
 * Creates a database file and its folder if missing, unless the file must exist. SQLite gives the files
 * beside it the same mode.
 *
 * @throws StoreError when the file cannot be created, or must exist and does not
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
