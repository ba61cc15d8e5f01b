import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { Kysely } from 'kysely';

import type { Connection, HotStatement, SqlValue } from '../engine/engine';
import type { Database } from '../engine/schema';
import { sqliteDialect } from './sqlite-dialect';
import { sqliteError } from './sqlite-error';

type AnyStatement = HotStatement<readonly SqlValue[]>;

/** One open connection. Statements run at once, in the calling thread. */
export class SqliteConnection implements Connection {
  readonly engine = 'sqlite';
  readonly kysely: Kysely<Database>;
  readonly #database: DatabaseSyncInstance;
  readonly #prepared = new Map<AnyStatement, StatementSyncInstance>();

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.kysely = new Kysely<Database>({ dialect: sqliteDialect(database, 0) });
  }

  rows<Row extends readonly SqlValue[]>(
    statement: HotStatement<Row>,
    values: readonly SqlValue[],
  ): Promise<readonly Row[]> {
    try {
      const prepared = this.#prepared.get(statement) ?? this.#prepare(statement);
      // The statement's own type says what its rows hold.
      if (statement.single !== true) return Promise.resolve(prepared.all(...values) as Row[]);
      const row = prepared.get(...values) as Row | undefined;
      return Promise.resolve(row === undefined ? [] : [row]);
    } catch (error) {
      return Promise.reject(sqliteError(error));
    }
  }

  #prepare(statement: AnyStatement): StatementSyncInstance {
    const prepared = this.#database.prepare(statement.build(this.kysely).compile().sql);
    prepared.setReturnArrays(true); // a third faster than objects for a list of students
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}
