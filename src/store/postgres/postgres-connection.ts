import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { type Client, type ClientBase, Pool, type PoolClient, type QueryArrayConfig } from 'pg';

import {
  type AnyStatement,
  type CompiledStatement,
  compileStatement,
  type Connection,
  type Database,
  type HotStatement,
  type Session,
  type SqlValue,
  type StoreError,
  type TypedColumn,
} from '../engine';
import { postgresError } from './postgres-error';

/** The hot statements, compiled once for all connections of a pool. */
export type CompiledStatements = Map<AnyStatement, CompiledStatement>;

/** Statements run on `runner`: the pool (each takes a connection) or one client (those of a transaction). */
export class PostgresConnection implements Connection {
  readonly engine = 'postgres';
  readonly #runner: Pool | PoolClient;
  readonly #compiled: CompiledStatements;
  #kysely: Kysely<Database> | undefined;

  constructor(runner: Pool | PoolClient, compiled: CompiledStatements) {
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
    const { text, bind } = this.#compiled.get(statement) ?? this.#compile(statement);
    const query: QueryArrayConfig = {
      name: statement.name,
      text,
      values: bind(values),
      rowMode: 'array',
    };
    try {
      const { rows } = await this.#runner.query(query);
      // The statement's own type says what its rows hold.
      return rows as unknown as readonly Row[];
    } catch (error) {
      throw postgresError(error);
    }
  }

  #compile(statement: AnyStatement): CompiledStatement {
    const compiled = compileStatement(statement, this.kysely);
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
export function kyselyOver(runner: Pool | ClientBase): Kysely<Database> {
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
  client: ClientBase,
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
