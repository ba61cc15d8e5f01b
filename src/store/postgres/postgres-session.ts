import type { Kysely } from 'kysely';
import type { Client } from 'pg';

import type { Session, SqlValue } from '../engine';
import type { Database } from '../schema';
import { kyselyOver } from './postgres-connection';
import { postgresError } from './postgres-error';

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
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    const names = columns.map((column) => `"${column}"`).join(', ');
    const types = columns.map((_, at) =>
      rows.some((row) => typeof row[at] === 'number') ? 'bigint' : 'text',
    );
    const arrays = types.map((type, at) => `$${String(at + 1)}::${type}[]`).join(', ');
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
