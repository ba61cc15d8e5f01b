import { type Kysely, sql } from 'kysely';

import { OperatorError } from '../../support/errors';
import type { HotStatement, SqlValue } from './hot-statement';
import type { Database, EngineName } from './schema';

/** Kind of a failure of the store, coarse enough for decisions. */
export type StoreFailure =
  | 'unavailable' // not there, gone, or refusing connections
  | 'timeout' // a statement took longer than it may
  | 'locked' // another process kept the write lock too long
  | 'full' // no space left on the device
  | 'read-only' // may not be written
  | 'corrupt' // damaged, or not a database at all
  | 'newer-schema' // written by a newer version of this program
  | 'older-schema' // written by an older version of this program, and not to be changed here
  | 'moved' // moved away; what it holds is in another database now
  | 'no-schema' // not there yet, and not to be made here
  | 'conflict' // a constraint refused the row
  | 'failed'; // anything else

/**
 * Thrown when the store failed; nothing of the request was kept. The message is one line for the log or the
 * terminal and contains no value of any row; `cause` is the driver's own error.
 */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError';

  constructor(
    readonly trouble: StoreFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Runs statements: each one by itself, or all in one transaction. */
export interface Connection {
  readonly engine: EngineName;
  readonly kysely: Kysely<Database>;
  rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]>;
  /** Runs a statement for several calls, either a read or a write that `gathers`, in one transaction. */
  rowsOfAll<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]>;
  /**
   * In a transaction: excludes others that lock one of these names until it ends; the order of the names does
   * not matter. Callers that lock in several steps must do so in the same order. On SQLite the transaction is
   * enough: it has the only write lock.
   */
  lock(names: readonly string[]): Promise<void>;
}

/** Queries and commands over one connection. */
export abstract class Repository {
  constructor(protected readonly connection: Connection) {}
}

/** Queries and commands in transactions of their own. */
export abstract class EngineRepository {
  constructor(protected readonly engine: Pick<Engine, 'direct' | 'reads' | 'write'>) {}
}

/** A database engine. All its errors about the database are StoreErrors. */
export interface Engine {
  readonly name: EngineName;
  /** `HOST:PORT` of the server in use, if the URL names several. */
  readonly server?: string | undefined;
  /** `HOST:PORT` of servers of the URL that accept writes although they are not the primary. */
  readonly secondPrimaries?: readonly string[];
  /**
   * Runs each statement by itself: a hot write is durable when it resolves. On SQLite its `kysely` only
   * reads.
   */
  readonly direct: Connection;
  /** Connection for reads that must not wait for writes; default: `direct`. */
  readonly reads?: Connection;
  /**
   * Runs `work` in a transaction and commits it; an error of `work` rolls it back and is rethrown. `work`
   * must wait only for statements on its connection: on SQLite every other write waits for it.
   */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Like `write`, for work of a few hot statements, which may be run more than once: writes of one turn of
   * the event loop share a transaction, on PostgreSQL too. If one fails, only that one is undone.
   */
  writeShort<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Lends a dedicated connection to long work: no statement timeout, own transactions, own temporary tables.
   */
  session<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T>;
  /**
   * Notifies other processes on this database of something new; the hint may get lost. On SQLite it reaches
   * no one.
   */
  announce(topic: string): void;
  /**
   * Listens for announcements of other processes.
   *
   * @returns a function that stops listening
   */
  listen(onTopic: (topic: string) => void): () => Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseSession {
  readonly engine: EngineName;
  readonly kysely: Kysely<Database>;
  /**
   * Adds rows to a table, values in the order of `columns`; all or none, within the current transaction if
   * there is one.
   */
  insertRows(
    table: string,
    columns: readonly TypedColumn[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void>;
}

export interface TypedColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** An event for the log; contains no personal data. */
export interface StoreEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type OnStoreEvent = (event: StoreEvent) => void;

const TAKE = {
  alone: sql`pg_advisory_xact_lock`,
  shared: sql`pg_advisory_xact_lock_shared`,
} as const;

/**
 * Excludes others that lock one of these names until the transaction ends; shared locks exclude only
 * exclusive ones. On SQLite the transaction is enough: it has the only write lock.
 */
export async function takeLock(
  transaction: Kysely<Database>,
  engine: EngineName,
  names: readonly [string, ...string[]],
  way: keyof typeof TAKE = 'alone',
): Promise<void> {
  if (engine === 'sqlite') return;
  const locks = names.map((name) => sql`${TAKE[way]}(hashtextextended(${name}, 0))`);
  await sql`select ${sql.join(locks)}`.execute(transaction);
}

/** Called for each writing transaction with its duration, and its failure if nothing of it was kept. */
export type OnWrite = (milliseconds: number, trouble?: StoreFailure) => void;

/** Runs a transaction and reports it, unless its own work chose to undo it. */
export async function watchWrite<T>(onWrite: OnWrite, write: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const result = await write();
    onWrite(performance.now() - start);
    return result;
  } catch (error) {
    if (error instanceof StoreError) onWrite(performance.now() - start, error.trouble);
    throw error;
  }
}
