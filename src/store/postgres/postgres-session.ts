import type { Kysely } from 'kysely';
import type { Client } from 'pg';

import type { Session, SqlValue, TypedColumn } from '../engine/engine';
import type { Database } from '../engine/schema';
import { kyselyOver } from './postgres-connection';
import { postgresError } from './postgres-error';

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
