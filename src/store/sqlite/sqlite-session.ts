import { Kysely } from 'kysely';

import { type DatabaseSession, StoreError, type TypedColumn } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import { closeFiles, type DatabaseSyncInstance, sqliteError } from './library';
import { openDatabase, preparePath } from './open-database';
import { sqliteDialect } from './sqlite-dialect';

/** Time limit in which an import waits for a gap between the writes of a busy service, in milliseconds. */
const LOCK_TIMEOUT_MS = 60_000;

/** A dedicated connection, for migrations, import and export. */
export class SqliteSession implements DatabaseSession {
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

  /** Drops the temporary tables, as closing the connection would, for a connection that stays open. */
  dropTemporaryTables(): void {
    const tables = this.#database.prepare(`select name from temp.sqlite_schema where type = 'table'`);
    tables.setReturnArrays(true);
    for (const [name] of tables.all()) this.#database.exec(`drop table temp."${String(name)}"`);
  }
}

/**
 * Lends a connection to an existing database, or to a new one in memory; only `work` changes anything.
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

/** A connection to a database file that nothing else has open. */
export class LoneSqlite extends SqliteSession implements DatabaseSession {
  readonly #database: DatabaseSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    super(database);
    this.#database = database;
  }

  /** Merges the log into the file, which another one may then replace. Windows replaces no open file. */
  async release(): Promise<void> {
    this.#database.exec('pragma journal_mode = DELETE');
    if (process.platform !== 'win32') return;
    await this.kysely.destroy();
    this.#database.close();
    await closeFiles();
  }
}

/**
 * Runs work on a database file while nothing else can open it. An open connection of a service always keeps a
 * lock, because its log is a write-ahead log, so holding an exclusive lock is enough.
 *
 * @param mustExist - refuses to create the file, and keeps the journal mode
 * @throws StoreError `locked` if the file is open elsewhere
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
    if (database.isOpen) unlock(database);
  }
}

function unlock(database: DatabaseSyncInstance): void {
  try {
    if (database.isTransaction) database.exec('rollback');
    // Statements not yet garbage collected would keep the lock of a closed connection.
    database.exec('pragma locking_mode = NORMAL');
    database.exec('select count(*) from sqlite_schema');
  } finally {
    database.close();
  }
}

function shutOut(database: DatabaseSyncInstance): void {
  try {
    database.exec('pragma busy_timeout = 0');
    // Reads first: an exclusive lock from the very beginning could not be released.
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
