import { createRequire } from 'node:module';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { errorMessage } from '../../support/errors';
import { StoreError, type StoreFailure } from '../engine/engine';

export type { StatementSyncInstance } from '@photostructure/sqlite';

/**
 * First SQLite without the WAL-reset bug, by which two simultaneous writers could damage the file
 * (sqlite.org/wal.html).
 */
const FIRST_SAFE = [3, 51, 3] as const;
/** First Node whose `node:sqlite` is stable and has every function that the store uses. */
const FIRST_NODE = 24;

/**
 * The functions of SQLite that the store uses: the package has the interface of `node:sqlite`, and its types.
 */
type SqliteLibrary = Pick<typeof import('@photostructure/sqlite'), 'backup' | 'DatabaseSync'>;

/**
 * Returns true if a Node includes a sufficiently safe SQLite.
 *
 * @param versions - as in `process.versions`
 */
export function hasOwnSqlite(versions: Readonly<Partial<Record<'node' | 'sqlite', string>>>): boolean {
  if (parts(versions.node)[0] < FIRST_NODE) return false;
  const found = parts(versions.sqlite);
  const differing = FIRST_SAFE.findIndex((part, index) => found[index] !== part);
  return differing === -1 || (found[differing] ?? 0) > (FIRST_SAFE[differing] ?? 0);
}

function parts(version = '0'): [number, ...number[]] {
  const [first = 0, ...others] = version.split('.').map(Number);
  return [first, ...others];
}

const IS_OWN = hasOwnSqlite(process.versions);

/** Node's own library if suitable: half of the package's cost per row is N-API. */
const { backup, DatabaseSync } = createRequire(__filename)(
  IS_OWN ? 'node:sqlite' : '@photostructure/sqlite',
) as SqliteLibrary;

export { backup, DatabaseSync, type DatabaseSyncInstance };

/** Rounds after which statements that nothing refers to are finalized: those of the first free others. */
const COLLECT_ROUNDS = 3;

/**
 * Resolves when connections that were closed, and whose statements nothing refers to, have closed their
 * files. The package finalizes statements only when they are collected, and Windows renames and removes no
 * open file.
 */
export async function closeFiles(): Promise<void> {
  if (IS_OWN || process.platform !== 'win32') return;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < COLLECT_ROUNDS; round += 1) {
    collect();
    await turn();
  }
}

/**
 * Troubles by SQLite's text for each result code (sqlite3_errstr), because the driver provides the code with
 * some methods only: errors of `all` lack it.
 */
const TROUBLES: readonly (readonly [text: RegExp, trouble: StoreFailure, message: string])[] = [
  [/database is locked/, 'locked', 'Another process locked the database for too long.'],
  [/database table is locked/, 'locked', 'Another statement keeps a table locked.'],
  [/attempt to write a readonly database/, 'read-only', 'The database file is not writable.'],
  [/database or disk is full/, 'full', 'The disk of the database is full.'],
  [/disk I\/O error/, 'failed', 'Disk error while reading or writing the database.'],
  [/database disk image is malformed|malformed database schema/, 'corrupt', 'The database file is damaged.'],
  [/file is not a database/, 'corrupt', 'The file is not an SQLite database, or it is damaged.'],
  [/unable to open database file/, 'unavailable', 'Cannot open the database file.'],
  [/constraint failed/, 'conflict', 'A database constraint rejected a row.'],
];

/** Converts the driver's error to a StoreError; a StoreError is returned unchanged. */
export function sqliteError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const text = errorMessage(error);
  const known = TROUBLES.find(([pattern]) => pattern.test(text));
  const [, trouble, message] = known ?? ['', 'failed' as const, 'The database failed to run a statement.'];
  return new StoreError(trouble, message, error);
}

/** Returns true if another connection holds the requested lock. */
function isBusy(error: unknown): boolean {
  return sqliteError(error).trouble === 'locked';
}

/** Pause between tries, in milliseconds: with longer ones, the lock is usually taken again. */
export const PAUSE_MS = 1;

/**
 * Retries while another connection holds the lock. SQLite's own busy_timeout would block the event loop for
 * that time, and for its full length if the other connection belongs to the same thread.
 *
 * @throws the error of `action`, if it is a different one or the time is over
 */
export async function waitForLock<T>(action: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(PAUSE_MS);
  }
}
