import {
  type CompiledQuery,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

import type { Database } from '../../src/store/engine/schema';

/** Kysely whose statements, written for SQLite, are run by a function. It has no transactions of its own. */
export function kyselyOver(run: <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>): Kysely<Database> {
  const connection = {
    executeQuery: run,
    streamQuery: () => {
      throw new Error('Nothing is streamed.');
    },
  };
  const none = (): Promise<never> => Promise.reject(new Error('The engine begins the transactions.'));
  const done = (): Promise<void> => Promise.resolve();
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createDriver: () => ({
        init: done,
        acquireConnection: () => Promise.resolve(connection),
        beginTransaction: none,
        commitTransaction: none,
        rollbackTransaction: none,
        releaseConnection: done,
        destroy: done,
      }),
    },
  });
}
