import { openDatabase } from './open-database';
import { SqliteSession } from './sqlite-session';

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
