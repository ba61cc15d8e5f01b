import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { Kysely } from 'kysely';

import type { Session, SqlValue, TypedColumn } from '../engine';
import type { Database } from '../schema';
import { sqliteDialect } from './sqlite-dialect';
import { sqliteError } from './sqlite-error';

/** A connection of its own, for migrations, import and export. */
export class SqliteSession implements Session {
  readonly engine = 'sqlite';
  readonly kysely: Kysely<Database>;
  readonly #database: DatabaseSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.kysely = new Kysely<Database>({ dialect: sqliteDialect(database) });
  }

  insertRows(
    table: string,
    columns: readonly TypedColumn[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    try {
      const names = columns.map(({ name }) => `"${name}"`).join(', ');
      const places = columns.map(() => '?').join(', ');
      const insert = this.#database.prepare(`insert into "${table}" (${names}) values (${places})`);
      this.#database.exec('begin');
      for (const row of rows) insert.run(...row);
      this.#database.exec('commit');
      return Promise.resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      return Promise.reject(sqliteError(error));
    }
  }
}
