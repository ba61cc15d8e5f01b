import type { Compilable, Kysely } from 'kysely';

import type { Database } from './schema';

export type EngineName = 'sqlite' | 'postgres';

export type SqlValue = string | number | null;

/**
 * A statement on a hot path: compiled once per process, prepared once per connection. Kysely costs more per
 * call than the database does for such a statement (measured on PostgreSQL: a third of the calls per second).
 */
export interface HotStatement<Row extends readonly SqlValue[]> {
  /** Names the prepared statement on the server; unique in the program. */
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** The answer has one row at most: SQLite's driver then makes no list. */
  readonly single?: true;
  /** The values in it are placeholders: those of each call come in the order they stand in the SQL text. */
  readonly build: (db: Kysely<Database>) => Compilable;
  /** Only a type: what a row of the answer holds, column by column. */
  readonly row?: Row;
}

/** Where statements run: each one by itself, or all in one transaction. */
export interface Connection {
  readonly engine: EngineName;
  readonly kysely: Kysely<Database>;
  rows<Row extends readonly SqlValue[]>(
    statement: HotStatement<Row>,
    values: readonly SqlValue[],
  ): Promise<readonly Row[]>;
}

/** One database of one kind. Everything it throws about the database is a StoreError. */
export interface Engine {
  readonly name: EngineName;
  /**
   * Each statement by itself: a hot write is durable when it resolves. On SQLite its `kysely` only reads.
   */
  readonly direct: Connection;
  /**
   * Runs `work` in a transaction and commits it; what `work` throws rolls it back and is thrown on. `work`
   * waits for nothing but statements on its connection: on SQLite every other write waits for it.
   */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
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
  /** Adds rows to a temporary table, their values in the order of `columns`. */
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
