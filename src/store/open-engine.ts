import { type Engine, type OnStoreEvent, type OnWrite, StoreError } from './engine';
import { openPostgres } from './postgres';
import { openSqlite } from './sqlite';

export interface StoreOptions {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  readonly url: string;
  /** Most connections to PostgreSQL. */
  readonly poolSize?: number;
  /** Longest time one statement may take on PostgreSQL, in milliseconds. */
  readonly statementTimeoutMs?: number;
  /** Opens only a database that is there with this program's schema, and makes or changes nothing. */
  readonly mustExist?: boolean;
  readonly onEvent?: OnStoreEvent;
  readonly onWrite?: OnWrite | undefined;
}

const SQLITE_SCHEME = 'sqlite:';
const DEFAULT_POOL_SIZE = 10;
const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;

/**
 * The engine that a database URL names.
 *
 * @throws StoreError when it names none, or the file cannot be opened; PostgreSQL is first asked later
 */
export function openEngine({
  url,
  poolSize = DEFAULT_POOL_SIZE,
  statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
  mustExist = false,
  onEvent = () => undefined,
  onWrite = () => undefined,
}: StoreOptions): Engine {
  if (url.startsWith(SQLITE_SCHEME)) {
    const path = url.slice(SQLITE_SCHEME.length);
    return openSqlite({ path, mustExist, onWrite });
  }
  if (/^postgres(?:ql)?:/.test(url)) {
    return openPostgres({ url, poolSize, statementTimeoutMs, onEvent, onWrite });
  }
  throw new StoreError('unavailable', 'The database URL begins with neither sqlite: nor postgres:.');
}

/** The file of SQLite that a URL names; undefined where it names none. */
export function sqlitePath(url: string): string | undefined {
  const path = url.startsWith(SQLITE_SCHEME) ? url.slice(SQLITE_SCHEME.length) : '';
  return path === '' || path === ':memory:' ? undefined : path;
}

/** The database that a URL names, as it may be shown: without user and password. */
export function databasePlace(url: string): string {
  if (url.startsWith(SQLITE_SCHEME) || !URL.canParse(url)) return url.replace(SQLITE_SCHEME, '');
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1)} at ${host}`;
}
