import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';

import { type DatabaseSyncInstance, sqliteError, type StatementSyncInstance, waitForLock } from './library';

/** Statements kept prepared per connection; the least recently used one goes first. */
const MOST_STATEMENTS = 200;

/**
 * Kysely over one open connection, which stays its owner's to close. Kysely has no driver for the API of
 * node:sqlite. One transaction at a time: who shares the connection takes turns.
 *
 * @param lockTimeoutMs - how long a statement outside a transaction, or the one that begins it, waits while
 *   another connection holds a lock
 */
export function sqliteDialect(database: DatabaseSyncInstance, lockTimeoutMs: number): Dialect {
  return {
    createDriver: () => new SqliteDriver(database, lockTimeoutMs),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  };
}

/** A migration that fails half-way leaves nothing behind, and its transaction is the lock against others. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteKyselyConnection;

  constructor(database: DatabaseSyncInstance, lockTimeoutMs: number) {
    this.#connection = new SqliteKyselyConnection(database, lockTimeoutMs);
  }

  async init(): Promise<void> {
    // The connection is open already.
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  /** A writing transaction takes the write lock at once: one that reads first could fail on its first write. */
  async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    const begin = accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(): Promise<void> {
    // Nobody waits for it.
  }

  async destroy(): Promise<void> {
    // The connection is its owner's to close.
  }
}

class SqliteKyselyConnection implements DatabaseConnection {
  readonly #database: DatabaseSyncInstance;
  readonly #lockTimeoutMs: number;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(database: DatabaseSyncInstance, lockTimeoutMs: number) {
    this.#database = database;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      // Inside a transaction waiting is of no use: it has its locks, or cannot get them any more.
      const timeoutMs = this.#database.isTransaction ? 0 : this.#lockTimeoutMs;
      return await waitForLock(() => this.#run<Row>(query), timeoutMs);
    } catch (error) {
      throw sqliteError(error);
    }
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#prepare(sql);
    if (statement.columns().length > 0) {
      // What a statement selects is known to the query that was compiled, not to the driver.
      return { rows: statement.all(...parameters) as Row[] };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Long answers are read page by page: PostgreSQL has no other way here.');
  }

  #prepare(sql: string): StatementSyncInstance {
    const known = this.#statements.get(sql);
    const statement = known ?? this.#database.prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > MOST_STATEMENTS) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    return statement;
  }
}
