import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import { type Client, Pool, type QueryArrayConfig, type QueryConfig, type QueryResult } from 'pg';

import {
  type AnyStatement,
  type CompiledStatement,
  compileGathered,
  compileStatement,
  type Connection,
  type Database,
  type GatheredStatement,
  type HotStatement,
  type Session,
  type SqlValue,
  type StoreError,
  type TypedColumn,
} from '../engine';
import { postgresError } from './postgres-error';

interface Compiled {
  readonly one: CompiledStatement;
  /** For several calls; undefined where they are all the same. */
  readonly several: GatheredStatement | undefined;
}

/** The hot statements, compiled once for all connections of a pool. */
export type CompiledStatements = Map<AnyStatement, Compiled>;

const LOCK: HotStatement<{ readonly name: string }, readonly [nothing: string]> = {
  name: 'lock',
  kind: 'read',
  build: (_db, param) => sql`select pg_advisory_xact_lock(hashtextextended(${param(({ name }) => name)}, 0))`,
};

/** The part of a client of the driver that runs statements. */
export interface QueryRunner {
  query(config: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
}

/** Statements run on `runner`: the pool (each takes a connection) or one client (those of a transaction). */
export class PostgresConnection implements Connection {
  readonly engine = 'postgres';
  readonly #runner: Pool | QueryRunner;
  readonly #compiled: CompiledStatements;
  #kysely: Kysely<Database> | undefined;

  constructor(runner: Pool | QueryRunner, compiled: CompiledStatements) {
    this.#runner = runner;
    this.#compiled = compiled;
  }

  /** Made when first asked for: a transaction of hot statements alone needs none. */
  get kysely(): Kysely<Database> {
    return (this.#kysely ??= kyselyOver(this.#runner));
  }

  async rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    const { text, bind } = this.#of(statement).one;
    // The statement's own type says what its rows hold.
    return (await this.#query(statement.name, text, bind(values))) as unknown as readonly Row[];
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
    const { text, bind } = several;
    const rows = await this.#query(`${statement.name}_of_all`, text, bind(calls));
    const ofCall: Row[][] = calls.map(() => []);
    // As above; behind its own columns each row has the number of its call.
    for (const row of rows) ofCall[(row.at(-1) as number) - 1]?.push(row as unknown as Row);
    return ofCall;
  }

  async lock(names: readonly string[]): Promise<void> {
    await this.rowsOfAll(
      LOCK,
      names.toSorted().map((name) => ({ name })),
    );
  }

  async #query(name: string, text: string, values: unknown[]): Promise<readonly unknown[][]> {
    const query: QueryArrayConfig = { name, text, values, rowMode: 'array' };
    try {
      return (await this.#runner.query(query)).rows as unknown[][];
    } catch (error) {
      throw postgresError(error);
    }
  }

  #of(statement: AnyStatement): Compiled {
    const known = this.#compiled.get(statement);
    if (known !== undefined) return known;
    const gathers = statement.kind === 'read' || statement.gathers === true;
    const compiled = {
      one: compileStatement(statement, this.kysely),
      several: gathers ? compileGathered(statement, this.kysely) : undefined,
    };
    this.#compiled.set(statement, compiled);
    return compiled;
  }
}

const ARRAY_TYPES: Readonly<Record<TypedColumn['type'], string>> = { text: 'text[]', integer: 'bigint[]' };

/** A connection of its own, for migrations, import and export. */
export class PostgresSession implements Session {
  readonly engine = 'postgres';
  readonly kysely: Kysely<Database>;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
    this.kysely = kyselyOver(client);
  }

  /** One array per column: a statement of one text, whatever the number of rows. */
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

/** Kysely over a pool or one client; both stay their owner's to release and end. */
export function kyselyOver(runner: Pool | QueryRunner): Kysely<Database> {
  const connect = async (): Promise<PostgresPoolClient> => {
    if (!(runner instanceof Pool)) return kyselyClient(runner, () => undefined);
    try {
      const client = await runner.connect();
      return kyselyClient(client, (broken) => {
        client.release(broken);
      });
    } catch (error) {
      throw postgresError(error);
    }
  };
  const pool = { connect, end: () => Promise.resolve() };
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

/** A client as Kysely's driver asks for it, with our errors, and not returned to the pool once it is broken. */
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
      if (failure.trouble === 'unavailable') broken = failure;
      throw failure;
    }
  };
  return {
    // Kysely declares a second form, for cursors, which it calls only where it was given a cursor class.
    query: query as PostgresPoolClient['query'],
    release: () => {
      release(broken);
    },
  };
}
