import { Kysely } from 'kysely';

import type { Database, Session, SqlValue, TypedColumn } from '../engine';
import type { DatabaseSyncInstance } from './library';
import { sqliteDialect } from './sqlite-dialect';
import { sqliteError } from './sqlite-error';

/** An import may have to wait for a gap between the writes of a busy service. */
const LOCK_TIMEOUT_MS = 60_000;

/** A connection of its own, for migrations, import and export. */
export class SqliteSession implements Session {
  readonly engine = 'sqlite';
  readonly kysely: Kysely<Database>;
  readonly #database: DatabaseSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    database.exec('pragma busy_timeout = 0'); // waitForLock waits
    this.#database = database;
    this.kysely = new Kysely<Database>({ dialect: sqliteDialect(database, LOCK_TIMEOUT_MS) });
  }

  insertRows(
    table: string,
    columns: readonly TypedColumn[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    let begun = false;
    try {
      const names = columns.map(({ name }) => `"${name}"`).join(', ');
      const places = columns.map(() => '?').join(', ');
      const insert = this.#database.prepare(`insert into "${table}" (${names}) values (${places})`);
      if (!this.#database.isTransaction) {
        this.#database.exec('begin');
        begun = true;
      }
      for (const row of rows) insert.run(...row);
      if (begun) this.#database.exec('commit');
      return Promise.resolve();
    } catch (error) {
      if (begun && this.#database.isTransaction) this.#database.exec('rollback');
      return Promise.reject(sqliteError(error));
    }
  }

  /** What closing the connection does, for one that stays. */
  dropTemporaryTables(): void {
    const tables = this.#database.prepare(`select name from temp.sqlite_schema where type = 'table'`);
    tables.setReturnArrays(true);
    for (const [name] of tables.all()) this.#database.exec(`drop table temp."${String(name)}"`);
  }
}
