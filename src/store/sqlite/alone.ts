import { type Session, StoreError } from '../engine';
import type { DatabaseSyncInstance } from './library';
import { openDatabase, preparePath } from './open-database';
import { sqliteError } from './sqlite-error';
import { SqliteSession } from './sqlite-session';

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
      'A service or another program has the database open: stop it first.',
      error,
    );
  }
}
