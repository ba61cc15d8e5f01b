import { sql } from 'kysely';

import { systemErrorCode } from '../support/errors';
import { type Engine, type OnStoreEvent, type OnWrite, StoreError } from './engine/engine';
import type { EngineName } from './engine/schema';
import { type LastBackup, lastBackup, refuseMoved } from './keeping/marks';
import { refuseNewerSchema, type SchemaState, schemaState } from './migrations/migrate';
import { openPostgres } from './postgres/postgres-engine';
import { openSqlite } from './sqlite/sqlite-engine';

const LOCATED = new WeakSet();

/** What is wrong with a database, and with which one; another error, or one that says so already, stays as it is. */
export function located(error: unknown, url: string): unknown {
  if (!(error instanceof StoreError) || LOCATED.has(error)) return error;
  const { trouble, message, cause } = error;
  const code = systemErrorCode(cause) ?? '';
  // The codes of the system and of TLS, and SQLSTATEs, help; the SQLite driver has one and the same for everything.
  const shown = /^E[A-Z]+$|^(?!ERR_SQLITE_)[0-9A-Z_]{5,}$/.test(code) ? ` (${code})` : '';
  const told = new StoreError(trouble, `${message}${shown} Database: ${databasePlace(url)}`, cause);
  LOCATED.add(told);
  return told;
}

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
  throw new StoreError('unavailable', 'Unknown database URL. It must begin with sqlite: or postgres:.');
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

/** What there is to know of a database that can be used. */
export interface StoreInspection {
  /** Name and version of the engine. */
  readonly engine: string;
  readonly schema: SchemaState;
  /** The last one that this program made; undefined where there is none. */
  readonly lastBackup: LastBackup | undefined;
  /** When PostgreSQL put away the last part of its log; undefined where it keeps none, or has put away none. */
  readonly archivedAt: number | undefined;
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const satisfies Record<EngineName, string>;
const VERSIONS = {
  sqlite: sql<{ readonly version: string }>`select sqlite_version() as version`,
  postgres: sql<{ readonly version: string }>`select current_setting('server_version') as version`,
} as const satisfies Record<EngineName, unknown>;

/**
 * Looks at a database, and changes nothing.
 *
 * @throws StoreError where this program cannot work with it: it is newer, or takes no writes
 */
export async function inspectEngine(engine: Engine): Promise<StoreInspection> {
  const inspection = await engine.session(async (session) => {
    await refuseNewerSchema(session);
    const { rows } = await VERSIONS[engine.name].execute(session.kysely);
    const schema = await schemaState(session);
    if (schema.missing.length > 0 && engine.name === 'postgres') {
      const { rows: granted } = await MAY_CREATE.execute(session.kysely);
      if (granted[0]?.may !== true) {
        throw new StoreError(
          'read-only',
          'The database user may not create tables. Grant it CREATE on the schema.',
        );
      }
    }
    if (schema.missing.length === 0) await refuseMoved(session);
    const archived = engine.name === 'postgres' ? await ARCHIVED.execute(session.kysely) : undefined;
    return {
      engine: `${NAMES[engine.name]} ${rows[0]?.version ?? ''}`,
      schema,
      lastBackup: schema.missing.length === 0 ? await lastBackup(session) : undefined,
      archivedAt: archived?.rows[0]?.at ?? undefined,
    };
  });
  // A question to the tables needs some; SQLite's lock for writing needs none.
  const hasTables = inspection.schema.last !== undefined || engine.name === 'postgres';
  await (hasTables ? engine.ping() : engine.write(() => Promise.resolve()));
  return inspection;
}

const MAY_CREATE = sql<{ readonly may: boolean | null }>`
  select has_schema_privilege(current_schema(), 'CREATE') as may`;

const ARCHIVED = sql<{ readonly at: number | null }>`
  select floor(extract(epoch from last_archived_time) * 1000)::bigint as at from pg_stat_archiver`;
