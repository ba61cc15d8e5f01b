import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import { DatabaseError, Pool, type QueryArrayConfig, type QueryConfig, type QueryResult } from 'pg';

import { errorMessage, systemErrorCode } from '../../support/errors';
import {
  type Connection,
  type DatabaseSession,
  StoreError,
  type StoreFailure,
  type TypedColumn,
} from '../engine/engine';
import {
  type AnyStatement,
  type CompiledStatement,
  compileGathered,
  compileStatement,
  type GatheredStatement,
  hotRead,
  type HotStatement,
  type SqlValue,
} from '../engine/hot-statement';
import type { Database } from '../engine/schema';

type KnownFailure = readonly [StoreFailure, string];

const TIMEOUT: KnownFailure = ['timeout', 'A statement timed out.'];
const GONE: KnownFailure = ['unavailable', 'PostgreSQL does not respond.'];
const POOLER = 'see “PostgreSQL” in docs/several-nodes.md';
/** The next connection is opened for the new mode. */
const MODE_CHANGED: KnownFailure = [
  'unavailable',
  'A prepared statement is gone: the mode of the pooler has changed.',
];
const FAILED: KnownFailure = ['failed', 'PostgreSQL failed to run a statement.'];
/** SQLSTATE of a write on a standby, or on a primary that became one. */
const READ_ONLY = '25006';

/**
 * Troubles by SQLSTATE, or its first two characters
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const TROUBLES: Readonly<Record<string, KnownFailure>> = {
  '08': GONE,
  '08006': ['unavailable', 'The connection to PostgreSQL failed.'],
  '08P01': [
    'unavailable',
    `The pooler refuses the connection. Add statement_timeout to its ignore_startup_parameters, ${POOLER}.`,
  ],
  '23': ['conflict', 'A database constraint rejected a row.'],
  '26000': MODE_CHANGED,
  '42P05': MODE_CHANGED,
  [READ_ONLY]: ['read-only', 'PostgreSQL is read-only.'],
  '28': ['unavailable', 'PostgreSQL rejected the user or the password.'],
  '28000': [
    'unavailable',
    'PostgreSQL does not accept this user from this machine. Check the user and pg_hba.conf; for hostssl entries, add sslmode=require to the URL.',
  ],
  '3D000': ['unavailable', 'The database does not exist in PostgreSQL.'],
  // The transaction was undone because of another one.
  '40001': ['failed', 'PostgreSQL rolled back a transaction that conflicts with another one.'],
  '40P01': ['failed', 'PostgreSQL rolled back a transaction to end a deadlock.'],
  '42501': ['read-only', 'PostgreSQL denied permission to this user.'],
  '53100': ['full', 'PostgreSQL is out of disk space.'],
  '53300': ['unavailable', 'PostgreSQL has too many connections.'],
  '55P03': ['locked', 'Another transaction held a lock for too long.'],
  '57014': TIMEOUT,
  '57P01': ['unavailable', 'PostgreSQL is stopping, or ended the connection.'],
  '57P02': ['unavailable', 'PostgreSQL ended the connection because another one crashed.'],
  '57P03': ['unavailable', 'PostgreSQL is starting, stopping or recovering.'],
  '57P': GONE,
  XX001: ['corrupt', 'PostgreSQL found damaged data.'],
  XX002: ['corrupt', 'PostgreSQL found a damaged index.'],
};

const UNTRUSTED: KnownFailure = [
  'unavailable',
  'The certificate of PostgreSQL is not trusted. Add sslrootcert=FILE with its CA certificate (PEM) to the URL, or use sslmode=no-verify to encrypt without verification.',
];

/** Troubles by Node.js's error code for a failed TLS connection. */
const TLS_TROUBLES: Readonly<Record<string, KnownFailure>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_HAS_EXPIRED: ['unavailable', 'The certificate of PostgreSQL has expired. Renew it.'],
  CERT_NOT_YET_VALID: [
    'unavailable',
    'The certificate of PostgreSQL is not valid yet. Check the clocks of both machines.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'unavailable',
    'The certificate of PostgreSQL is for another host. Use the host in the certificate in the URL.',
  ],
};

const NO_TLS: KnownFailure = [
  'unavailable',
  'PostgreSQL does not use TLS. Set ssl=on there, or remove sslmode from the URL.',
];
const TLS_FAILED: KnownFailure = [
  'unavailable',
  'TLS with PostgreSQL failed. Check ssl_min_protocol_version and the client certificate (sslcert, sslkey).',
];

/**
 * Returns true if a connection must not be used again after an error: it is gone, its server is not the
 * primary, or has not answered in time.
 */
export function endsConnection({ trouble, cause }: StoreError): boolean {
  if (trouble === 'timeout') return !(cause instanceof DatabaseError);
  return trouble === 'unavailable' || systemErrorCode(cause) === READ_ONLY;
}

/** Converts the driver's error to a StoreError; a StoreError is returned unchanged. */
export function postgresError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const [trouble, message] = describe(error);
  return new StoreError(trouble, message, error);
}

function describe(error: unknown): KnownFailure {
  // Anything but an answer of the server is a failure to reach it: refused, reset, timed out, name not found,
  // no TLS.
  if (!(error instanceof DatabaseError)) return describeConnection(error);
  const code = error.code ?? '';
  return TROUBLES[code] ?? TROUBLES[code.slice(0, 3)] ?? TROUBLES[code.slice(0, 2)] ?? FAILED;
}

function describeConnection(error: unknown): KnownFailure {
  const code = systemErrorCode(error) ?? '';
  // The driver's own limit, which is noticed if a pooler drops the server's.
  if (errorMessage(error) === 'Query read timeout') return TIMEOUT;
  if (errorMessage(error) === 'The server does not support SSL connections') return NO_TLS;
  return TLS_TROUBLES[code] ?? (/^ERR_(?:SSL|TLS|OSSL)_|^EPROTO$/.test(code) ? TLS_FAILED : GONE);
}

interface Compiled {
  readonly one: Prepared<CompiledStatement['bind']>;
  /** Form for several calls; undefined if all calls are equal. */
  readonly several: Prepared<GatheredStatement['bind']> | undefined;
}

interface Prepared<Bind> {
  readonly bind: Bind;
  readonly query: QueryArrayConfig;
}

function prepared<Bind>(
  name: string,
  { bind, text }: { readonly bind: Bind; readonly text: string },
): Prepared<Bind> {
  // The driver copies a query's own properties for each call, a seventh of a statement's cost; inherited ones
  // stay.
  const query = Object.create({ name, text, rowMode: 'array' }) as QueryArrayConfig;
  return { bind, query };
}

/** Hot statements, compiled once for all connections of a pool. */
export interface CompiledStatements {
  readonly known: Map<AnyStatement, Compiled>;
  /** Connections that are shared keep no prepared statements. */
  readonly sharing: { readonly isShared: boolean };
}

const LOCK = hotRead<{ readonly name: string }, readonly [nothing: string]>(
  'lock',
  (param) => sql`select pg_advisory_xact_lock(hashtextextended(${param(({ name }) => name)}, 0))`,
);

/** The part of the driver's client that runs statements. */
export interface QueryRunner {
  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
}

/** Runs statements on `runner`: the pool (each takes a connection) or one client (those of a transaction). */
export class PostgresConnection implements Connection {
  readonly engine = 'postgres';
  readonly #runner: Pool | QueryRunner;
  readonly #compiled: CompiledStatements;
  #kysely: Kysely<Database> | undefined;

  constructor(runner: Pool | QueryRunner, compiled: CompiledStatements) {
    this.#runner = runner;
    this.#compiled = compiled;
  }

  /** Created on first use: a transaction of hot statements alone needs none. */
  get kysely(): Kysely<Database> {
    return (this.#kysely ??= kyselyOver(this.#runner));
  }

  async rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    const { bind, query } = this.#of(statement).one;
    // The statement's own type determines the type of its rows.
    return (await this.#query(query, bind(values))) as unknown as readonly Row[];
  }

  async rowsOfAll<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]> {
    const [first] = calls as readonly [Values, ...Values[]];
    if (calls.length === 0) return [];
    const { several } = this.#of(statement);
    if (several === undefined || calls.length === 1) {
      const rows = await this.rows(statement, first);
      return calls.map(() => rows);
    }
    const rows = await this.#query(several.query, several.bind(calls));
    const ofCall: Row[][] = calls.map(() => []);
    // As above; each row ends with the number of its call.
    for (const row of rows) ofCall[(row.at(-1) as number) - 1]?.push(row as unknown as Row);
    return ofCall;
  }

  async lock(names: readonly string[]): Promise<void> {
    await this.rowsOfAll(
      LOCK,
      names.toSorted().map((name) => ({ name })),
    );
  }

  async #query(named: QueryArrayConfig, values: unknown[]): Promise<readonly unknown[][]> {
    const { text, rowMode } = named;
    const query = this.#compiled.sharing.isShared ? { text, rowMode } : named;
    try {
      return (await this.#runner.query(query, values)).rows as unknown[][];
    } catch (error) {
      throw postgresError(error);
    }
  }

  #of(statement: AnyStatement): Compiled {
    const known = this.#compiled.known.get(statement);
    if (known !== undefined) return known;
    const gathers = statement.kind === 'read' || statement.gathers === true;
    const several = gathers ? compileGathered(statement, this.kysely) : undefined;
    const compiled = {
      one: prepared(statement.name, compileStatement(statement, this.kysely)),
      several: several && prepared(`${statement.name}_of_all`, several),
    };
    this.#compiled.known.set(statement, compiled);
    return compiled;
  }
}

const ARRAY_TYPES: Readonly<Record<TypedColumn['type'], string>> = { text: 'text[]', integer: 'bigint[]' };

/** A dedicated connection, for migrations, import and export. */
export class PostgresSession implements DatabaseSession {
  readonly engine = 'postgres';
  readonly kysely: Kysely<Database>;
  readonly #client: QueryRunner;

  constructor(client: QueryRunner) {
    this.#client = client;
    this.kysely = kyselyOver(client);
  }

  /** Passes one array per column: the statement's text does not depend on the number of rows. */
  async insertRows(
    table: string,
    columns: readonly TypedColumn[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const arrays = columns.map(({ type }, at) => `$${String(at + 1)}::${ARRAY_TYPES[type]}`).join(', ');
    try {
      await this.#client.query(
        `insert into "${table}" (${names}) select * from unnest(${arrays})`,
        columns.map((_, at) => rows.map((row) => row[at])),
      );
    } catch (error) {
      throw postgresError(error);
    }
  }
}

/** Returns Kysely over a pool or one client; their owner releases and ends them. */
function kyselyOver(runner: Pool | QueryRunner): Kysely<Database> {
  const connect = async (): Promise<PostgresPoolClient> => {
    if (!(runner instanceof Pool)) return kyselyClient(runner, () => undefined);
    try {
      const client = await runner.connect();
      return kyselyClient(client, (broken) => client.release(broken));
    } catch (error) {
      throw postgresError(error);
    }
  };
  const pool = { connect, end: () => Promise.resolve() };
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/** Wraps a client for Kysely's driver, with our errors; a broken one is not returned to the pool. */
function kyselyClient(
  client: QueryRunner,
  release: (broken: StoreError | undefined) => void,
): PostgresPoolClient {
  let broken: StoreError | undefined;
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await client.query(text, [...parameters]);
    } catch (error) {
      const failure = postgresError(error);
      if (endsConnection(failure)) broken = failure;
      throw failure;
    }
  };
  return {
    // Kysely declares a second form, for cursors, which it only calls if given a cursor class.
    query: query as PostgresPoolClient['query'],
    release: () => release(broken),
  };
}
