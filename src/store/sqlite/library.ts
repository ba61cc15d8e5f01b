import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { errorMessage } from '../../support/errors';
import { StoreError, type StoreTrouble } from '../engine/engine';

export type { StatementSyncInstance } from '@photostructure/sqlite';

/**
 * The first SQLite without the error in the reset of its write-ahead log, by which two connections that
 * write at one moment could damage the file (sqlite.org/wal.html, "WAL-reset bug").
 */
const FIRST_SAFE = [3, 51, 3] as const;
/** The first Node whose `node:sqlite` is no experiment and has all that the store calls. */
const FIRST_NODE = 24;

/** What the store calls of SQLite: the package has the interface of `node:sqlite`, and its types. */
type Library = Pick<typeof import('@photostructure/sqlite'), 'backup' | 'DatabaseSync'>;

/**
 * Whether a Node brings a SQLite that keeps the store's promises.
 *
 * @param versions - as `process.versions` gives them
 */
export function hasOwnSqlite(versions: Readonly<Partial<Record<'node' | 'sqlite', string>>>): boolean {
  if (versions.sqlite === undefined || parts(versions.node)[0] < FIRST_NODE) return false;
  const found = parts(versions.sqlite);
  const differing = FIRST_SAFE.findIndex((part, index) => found[index] !== part);
  return differing === -1 || (found[differing] ?? 0) > (FIRST_SAFE[differing] ?? 0);
}

function parts(version = '0'): [number, ...number[]] {
  const [first = 0, ...others] = version.split('.').map(Number);
  return [first, ...others];
}

/** Node's own where it is good: half of the package's cost a row, which has to go through N-API. */
const { backup, DatabaseSync } = createRequire(__filename)(
  hasOwnSqlite(process.versions) ? 'node:sqlite' : '@photostructure/sqlite',
) as Library;

export { backup, DatabaseSync, type DatabaseSyncInstance };

/**
 * By SQLite's own text for each result code (sqlite3_errstr), because the driver gives the code itself with
 * some of its methods only: errors of `all` come without.
 */
const TROUBLES: readonly (readonly [text: RegExp, trouble: StoreTrouble, message: string])[] = [
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

/** The driver's error as a StoreError; one that is a StoreError already stays what it is. */
export function sqliteError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const text = errorMessage(error);
  const known = TROUBLES.find(([pattern]) => pattern.test(text));
  const [, trouble, message] = known ?? ['', 'failed' as const, 'The database failed to run a statement.'];
  return new StoreError(trouble, message, error);
}

/** Whether another connection holds the lock that was asked for. */
function isBusy(error: unknown): boolean {
  return sqliteError(error).trouble === 'locked';
}

/** Between tries, in milliseconds: who tries seldom finds the lock taken again. */
export const PAUSE_MS = 1;

/**
 * Tries again while another connection holds the lock. SQLite's own busy_timeout would stop the event loop
 * for that time, and for all of it where the other connection belongs to the same thread.
 *
 * @throws what `action` throws, once it is something else or the time is over
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
