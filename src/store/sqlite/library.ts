import { createRequire } from 'node:module';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

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
export type { StatementSyncInstance } from '@photostructure/sqlite';
