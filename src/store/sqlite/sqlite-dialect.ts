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
import { LRUCache } from 'lru-cache';

import { type DatabaseSyncInstance, sqliteError, type StatementSyncInstance, waitForLock } from './library';

/**
 * Maximum number of prepared statements kept per connection; the least recently used one is dropped first.
 */
const MAX_STATEMENTS = 200;

/**
 * Kysely dialect over an open connection, which its owner closes. Kysely has no driver for the API of
 * node:sqlite. Only one transaction can run at a time: users of the connection take turns.
 *
 * @param lockTimeoutMs - maximum wait for another connection's lock, for a statement outside a transaction or
 * the one that begins it
 */
export function sqliteDialect(database: DatabaseSyncInstance, lockTimeoutMs: number): Dialect {
  return {
    createDriver: () => new SqliteDriver(database, lockTimeoutMs),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
  };
}

/** A migration that fails half-way leaves nothing behind, and its transaction locks others out. */
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
    // The connection is already open.
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  /**
   * Takes the write lock at the start of a writing transaction: one that reads first could fail on its first
   * write.
   */
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
    // The caller does not wait for it.
  }

  /** Drops the statements; the owner closes the connection. */
  destroy(): Promise<void> {
    this.#connection.forget();
    return Promise.resolve();
  }
}

class SqliteKyselyConnection implements DatabaseConnection {
  readonly #database: DatabaseSyncInstance;
  readonly #lockTimeoutMs: number;
  readonly #statements = new LRUCache<string, StatementSyncInstance>({ max: MAX_STATEMENTS });

  constructor(database: DatabaseSyncInstance, lockTimeoutMs: number) {
    this.#database = database;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      // Waiting is useless inside a transaction: it has its locks, or cannot get them any more.
      const timeoutMs = this.#database.isTransaction ? 0 : this.#lockTimeoutMs;
      return await waitForLock(() => this.#run<Row>(query), timeoutMs);
    } catch (error) {
      throw sqliteError(error);
    }
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#prepare(sql);
    if (statement.columns().length > 0) {
      // The compiled query knows the columns of its rows, the driver does not.
      return { rows: statement.all(...parameters) as Row[] };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  }

  /** Drops the statements, which would keep the file of a closed connection open. */
  forget(): void {
    this.#statements.clear();
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Read long results page by page: PostgreSQL cannot stream them here.');
  }

  #prepare(sql: string): StatementSyncInstance {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
