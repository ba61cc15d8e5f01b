import { type Kysely, sql } from 'kysely';

import { OperatorError } from '../../support/errors';
import type { HotStatement, SqlValue } from './hot-statement';
import type { Database, EngineName } from './schema';

/** What is wrong with the store, coarse enough to decide on. */
export type StoreTrouble =
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
 * The store could not do what it was asked, and nothing of that request was kept. The message is one line
 * for the log or the terminal and holds no value of any row; `cause` is the driver's own error.
 */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError';

  constructor(
    readonly trouble: StoreTrouble,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Where statements run: each one by itself, or all in one transaction. */
export interface Connection {
  readonly engine: EngineName;
  readonly kysely: Kysely<Database>;
  rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]>;
  /** Several calls of a statement, a write that `gathers` or a read; in one transaction. */
  rowsOfAll<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]>;
  /**
   * In a transaction: keeps out others who take a lock of one of these names, in whichever order they are named, until it ends.
   * Those who take locks one after the other do so in the same order. On SQLite the transaction itself does: it has the only write lock.
   */
  lock(names: readonly string[]): Promise<void>;
}

/** One database of one kind. Everything it throws about the database is a StoreError. */
export interface Engine {
  readonly name: EngineName;
  /**
   * Each statement by itself: a hot write is durable when it resolves. On SQLite its `kysely` only reads.
   */
  readonly direct: Connection;
  /** For statements that only read, where those that write would keep them waiting; default: `direct`. */
  readonly reads?: Connection;
  /**
   * Runs `work` in a transaction and commits it; what `work` throws rolls it back and is thrown on. `work`
   * waits for nothing but statements on its connection: on SQLite every other write waits for it.
   */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * As `write`, for work of a few hot statements, which may be run more than once: on PostgreSQL, too, those of one turn
   * of the event loop share a transaction. One whose work throws is undone alone.
   */
  writeShort<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Lends a connection of its own to long work: no statement time-out, own transactions, own temporary tables. */
  session<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Tells other processes on this database that there is something new; a hint that may get lost. On SQLite it
   * reaches nobody.
   */
  announce(topic: string): void;
  /**
   * Hears what other processes announce.
   *
   * @returns what ends it
   */
  listen(onTopic: (topic: string) => void): () => Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Session {
  readonly engine: EngineName;
  readonly kysely: Kysely<Database>;
  /** Adds rows to a table, their values in the order of `columns`; all or none, in the transaction where there is one. */
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

/** Something worth a line in the log; holds no personal data. */
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
 * Keeps out others who take a lock of one of these names, until the transaction ends; those who share it keep out those
 * who do not. On SQLite the transaction itself does: it has the only write lock.
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

/** Told of each transaction that writes: how long it took, and what was wrong where nothing of it was kept. */
export type OnWrite = (milliseconds: number, trouble?: StoreTrouble) => void;

/** Runs a transaction and tells of it. One that was undone because its own work wanted it so is not worth telling. */
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
