import { sql } from 'kysely';

import { parsePostgresUrl, poolSizeOf, sqlitePath } from '../support/database-url';
import { systemErrorCode } from '../support/errors';
import { EXACT_KEYS, type KeyCollation } from '../support/key-collation';
import { type Engine, type OnStoreEvent, type OnWrite, StoreError } from './engine/engine';
import type { EngineName } from './engine/schema';
import { type LastBackup, lastBackup } from './keeping/backups';
import { checkCollation, refuseMoved } from './keeping/open-checks';
import { refuseNewerSchema, type SchemaState } from './migrations/migrate';
import type { TimelinesFile } from './postgres/primaries';
import { openSqlite } from './sqlite/sqlite-engine';

const LOCATED = new WeakSet();

/**
 * Adds the database's place to a StoreError without one; any other error stays unchanged.
 */
export function located(error: unknown, url: string): unknown {
  if (!(error instanceof StoreError) || LOCATED.has(error)) return error;
  const { trouble, message, cause } = error;
  const code = systemErrorCode(cause) ?? '';
  // System and TLS codes and SQLSTATEs are useful; the SQLite driver has the same code for everything.
  const shown = /^E[A-Z]+$|^(?!ERR_SQLITE_)[0-9A-Z_]{5,}$/.test(code) ? ` (${code})` : '';
  const withPlace = new StoreError(trouble, `${message}${shown} Database: ${databasePlace(url)}`, cause);
  LOCATED.add(withPlace);
  return withPlace;
}

export interface StoreOptions {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`. */
  readonly url: string;
  /** Maximum number of connections to PostgreSQL. */
  readonly poolSize?: number;
  /** Time limit of one statement on PostgreSQL, in milliseconds. */
  readonly statementTimeoutMs?: number;
  /** Remembers the highest timelines of PostgreSQL; default: only in memory. */
  readonly timelinesFile?: TimelinesFile;
  /** Opens only an existing database with this program's schema, and creates or changes nothing. */
  readonly mustExist?: boolean;
  /** How ids are compared; default: exactly. */
  readonly keys?: KeyCollation;
  readonly onEvent?: OnStoreEvent;
  readonly onWrite?: OnWrite | undefined;
}

const SQLITE_SCHEME = 'sqlite:';
const IS_POSTGRES = /^postgres(?:ql)?:/;
const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;

/** Loads PostgreSQL's engine where there is one: pg takes 15 ms of CPU time, and loads Node's own undici. */
function loadPostgres(): typeof import('./postgres/postgres-engine') {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- An import() makes callers wait.
  return require('./postgres/postgres-engine') as typeof import('./postgres/postgres-engine');
}

/**
 * Opens the engine for a database URL.
 *
 * @throws StoreError when the URL is invalid, or the file cannot be opened; PostgreSQL is only contacted
 * later
 */
export function openEngine({
  url,
  poolSize,
  statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
  timelinesFile,
  mustExist = false,
  onEvent = () => undefined,
  onWrite = () => undefined,
}: StoreOptions): Engine {
  if (url.startsWith(SQLITE_SCHEME)) {
    return openSqlite({ path: sqlitePath(url) ?? ':memory:', mustExist, onWrite });
  }
  if (IS_POSTGRES.test(url)) {
    const { openPostgres } = loadPostgres();
    return openPostgres({
      url,
      poolSize: poolSize ?? poolSizeOf(url),
      statementTimeoutMs,
      timelinesFile,
      onEvent,
      onWrite,
    });
  }
  throw new StoreError('unavailable', 'Unknown database URL. It must begin with sqlite: or postgres:.');
}

/** Returns the database of a URL for display: without user and password. */
export function databasePlace(url: string): string {
  if (url.startsWith(SQLITE_SCHEME)) return url.slice(SQLITE_SCHEME.length);
  if (!IS_POSTGRES.test(url)) return 'unknown';
  const { hosts, path } = parsePostgresUrl(url);
  return `${path.slice(1)} at ${hosts}`;
}

/** Facts about a usable database. */
export interface StoreInspection {
  /** Name and version of the engine, and the server in use of several. */
  readonly engine: string;
  readonly schema: SchemaState;
  /** Servers that accept writes although they are not the primary, as `HOST:PORT`. */
  readonly secondPrimaries: readonly string[];
  /** Last backup by this program; undefined if there is none. */
  readonly lastBackup: LastBackup | undefined;
  /** When PostgreSQL last archived a part of its log; undefined if it does not archive, or has not yet. */
  readonly archivedAt: number | undefined;
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const satisfies Record<EngineName, string>;
const VERSIONS = {
  sqlite: sql<{ readonly version: string }>`select sqlite_version() as version`,
  postgres: sql<{ readonly version: string }>`select current_setting('server_version') as version`,
} as const satisfies Record<EngineName, unknown>;

/**
 * Inspects a database without changing anything.
 *
 * @throws StoreError if this program cannot work with it: its schema is newer, or it is read-only
 */
export async function inspectEngine(engine: Engine, keys = EXACT_KEYS): Promise<StoreInspection> {
  const inspection = await engine.session(async (session) => {
    const schema = await refuseNewerSchema(session);
    const { rows } = await VERSIONS[engine.name].execute(session.kysely);
    if (schema.missing.length > 0 && engine.name === 'postgres') {
      const { rows: granted } = await MAY_CREATE.execute(session.kysely);
      if (granted[0]?.may !== true) {
        throw new StoreError(
          'read-only',
          'The database user may not create tables. Grant it CREATE on the schema.',
        );
      }
    }
    if (schema.missing.length === 0) {
      await refuseMoved(session);
      await checkCollation(session, keys.name, false);
    }
    const archived = engine.name === 'postgres' ? await ARCHIVED.execute(session.kysely) : undefined;
    return {
      engine: `${NAMES[engine.name]} ${rows[0]?.version ?? ''}\
${engine.server === undefined ? '' : ` on ${engine.server}`}`,
      schema,
      secondPrimaries: engine.secondPrimaries ?? [],
      lastBackup: schema.missing.length === 0 ? await lastBackup(session) : undefined,
      archivedAt: archived?.rows[0]?.at ?? undefined,
    };
  });
  // A query on the tables needs some; SQLite's write lock needs none.
  const hasTables = inspection.schema.last !== undefined || engine.name === 'postgres';
  await (hasTables ? engine.ping() : engine.write(() => Promise.resolve()));
  return inspection;
}

const MAY_CREATE = sql<{ readonly may: boolean | null }>`
  select has_schema_privilege(current_schema(), 'CREATE') as may`;

const ARCHIVED = sql<{ readonly at: number | null }>`
  select floor(extract(epoch from last_archived_time) * 1000)::bigint as at from pg_stat_archiver`;
