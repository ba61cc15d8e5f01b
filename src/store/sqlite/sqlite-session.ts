import { Kysely } from 'kysely';

import { type Session, StoreError, type TypedColumn } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import { type DatabaseSyncInstance, sqliteError } from './library';
import { openDatabase, preparePath } from './open-database';
import { sqliteDialect } from './sqlite-dialect';

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

/**
 * Lends a connection to a database that is there, or to a new one in memory, as it is: nothing is changed but by `work`.
 *
 * @throws StoreError
 */
export async function onSqlite<T>(path: string, work: (session: SqliteSession) => Promise<T>): Promise<T> {
  const database = openDatabase(path, { asItIs: true });
  try {
    return await work(new SqliteSession(database));
  } finally {
    database.close();
  }
}

/** A connection to a database file that nobody else has open. */
export class LoneSqlite extends SqliteSession implements Session {
  readonly #database: DatabaseSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    super(database);
    this.#database = database;
  }

  /** Leaves the file without a log beside it. */
  foldLog(): void {
    this.#database.exec('pragma journal_mode = DELETE');
  }
}

/**
 * Does something with a database file while nobody else can open it. Whoever has opened one keeps a lock on it as
 * long as its log is a write-ahead log, which a service's always is; all that is asked for is to get past those.
 *
 * @param mustExist - refuses to make the file, and leaves the kind of its log as it is
 * @throws StoreError `locked` where somebody has it open
 */
export async function aloneOnSqlite<T>(
  path: string,
  mustExist: boolean,
  work: (session: LoneSqlite) => Promise<T>,
): Promise<T> {
  preparePath(path, mustExist);
  const database = openDatabase(path, { asItIs: mustExist });
  try {
    shutOut(database);
    return await work(new LoneSqlite(database));
  } finally {
    try {
      if (database.isTransaction) database.exec('rollback');
      // Statements that are not collected yet would keep the lock of a connection that is closed.
      database.exec('pragma locking_mode = NORMAL');
      database.exec('select count(*) from sqlite_schema');
    } finally {
      database.close();
    }
  }
}

function shutOut(database: DatabaseSyncInstance): void {
  try {
    database.exec('pragma busy_timeout = 0');
    // Read first: an exclusive lock from the very beginning could not be given back.
    database.exec('select count(*) from sqlite_schema');
    database.exec('pragma locking_mode = EXCLUSIVE');
    database.exec('begin exclusive');
    database.exec('commit'); // The lock stays.
  } catch (error) {
    const failure = sqliteError(error);
    if (failure.trouble !== 'locked') throw failure;
    throw new StoreError(
      'locked',
      'The database is in use by a service or another program. Stop it first.',
      error,
    );
  }
}
