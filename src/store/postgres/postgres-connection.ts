import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { type ClientBase, Pool, type PoolClient, type QueryArrayConfig } from 'pg';

import type { Connection, HotStatement, SqlValue } from '../engine/engine';
import type { Database } from '../engine/schema';
import { StoreError } from '../engine/store-error';
import { postgresError } from './postgres-error';

type AnyStatement = HotStatement<readonly SqlValue[]>;

/** Texts of the hot statements, compiled once for all connections of a pool. */
export type CompiledTexts = Map<AnyStatement, string>;

/** Statements run on `runner`: the pool (each takes a connection) or one client (those of a transaction). */
export class PostgresConnection implements Connection {
  readonly engine = 'postgres';
  readonly #runner: Pool | PoolClient;
  readonly #texts: CompiledTexts;
  #kysely: Kysely<Database> | undefined;

  constructor(runner: Pool | PoolClient, texts: CompiledTexts) {
    this.#runner = runner;
    this.#texts = texts;
  }

  /** Made when first asked for: a transaction of hot statements alone needs none. */
  get kysely(): Kysely<Database> {
    return (this.#kysely ??= kyselyOver(this.#runner));
  }

  async rows<Row extends readonly SqlValue[]>(
    statement: HotStatement<Row>,
    values: readonly SqlValue[],
  ): Promise<readonly Row[]> {
    const query: QueryArrayConfig = {
      name: statement.name,
      text: this.#text(statement),
      values: [...values],
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

  #text(statement: AnyStatement): string {
    let text = this.#texts.get(statement);
    if (text === undefined) {
      text = statement.build(this.kysely).compile().sql;
      this.#texts.set(statement, text);
    }
    return text;
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
