import { Kysely } from 'kysely';

import {
  type AnyStatement,
  type CompiledStatement,
  compileStatement,
  type HotStatement,
  type SqlValue,
} from '../engine/hot-statement';
import type { Connection } from '../engine/engine';
import type { Database } from '../engine/schema';
import type { GroupCommit, WritingConnection } from './group-commit';
import { type DatabaseSyncInstance, sqliteError, type StatementSyncInstance } from './library';
import { sqliteDialect } from './sqlite-dialect';

interface PreparedStatement {
  readonly statement: StatementSyncInstance;
  readonly bind: CompiledStatement['bind'];
}

/** An open connection. Statements run synchronously in the calling thread. */
export class SqliteConnection implements WritingConnection {
  readonly engine = 'sqlite';
  readonly #kysely: Kysely<Database>;
  readonly #database: DatabaseSyncInstance;
  readonly #prepared = new Map<AnyStatement, PreparedStatement>();
  #changes = 0;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.#kysely = new Kysely<Database>({ dialect: sqliteDialect(database, 0) });
  }

  get kysely(): Kysely<Database> {
    this.#changes += 1; // Its later use cannot be seen from here.
    return this.#kysely;
  }

  get changes(): number {
    return this.#changes;
  }

  rows<Values, Row extends readonly SqlValue[]>(
    hot: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    if (hot.kind === 'write') this.#changes += 1;
    try {
      const { statement, bind } = this.#prepared.get(hot) ?? this.#prepare(hot);
      // The statement's own type determines the type of its rows.
      if (hot.single !== true) return Promise.resolve(statement.all(...bind(values)) as Row[]);
      const row = statement.get(...bind(values)) as Row | undefined;
      return Promise.resolve(row === undefined ? [] : [row]);
    } catch (error) {
      return Promise.reject(sqliteError(error));
    }
  }

  async rowsOfAll<Values, Row extends readonly SqlValue[]>(
    hot: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]> {
    return Promise.all(calls.map((values) => this.rows(hot, values)));
  }

  lock(): Promise<void> {
    return Promise.resolve();
  }

  #prepare(hot: AnyStatement): PreparedStatement {
    const { text, bind } = compileStatement(hot, this.#kysely);
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true); // a third faster than objects for a list of students
    const prepared = { statement, bind };
    this.#prepared.set(hot, prepared);
    return prepared;
  }
}

/**
 * Lets the reads of one turn of the event loop share a transaction: acquiring and releasing SQLite's read
 * lock costs nearly as much as reading a row.
 */
export class ReadTurn {
  readonly #database: DatabaseSyncInstance;
  // Prepared, both take half of the time they take as texts; read with get(), they build no result.
  readonly #begin: StatementSyncInstance;
  readonly #end: StatementSyncInstance;
  /** Answers of statements without values, which stay the same as long as the snapshot. */
  readonly #answers = new Map<AnyStatement, Promise<readonly unknown[]>>();
  #isOpen = false;

  /** @param database - a connection on which nothing else begins transactions */
  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.#begin = database.prepare('begin');
    this.#end = database.prepare('rollback');
  }

  /** Begins a snapshot that all reads share until the turn ends. */
  begin(): void {
    if (this.#isOpen) return;
    this.#begin.get();
    this.#isOpen = true;
    setImmediate(() => this.end());
  }

  /** Returns the answer of a statement without values, which is run once for each snapshot. */
  once<Rows extends readonly unknown[]>(statement: AnyStatement, run: () => Promise<Rows>): Promise<Rows> {
    const known = this.#answers.get(statement);
    // What is stored under a statement is of its type.
    if (known !== undefined) return known as Promise<Rows>;
    const answer = run();
    this.#answers.set(statement, answer);
    return answer;
  }

  /** Ends the snapshot. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#answers.clear();
    // A failed read may have ended it already. There is nothing to commit, and this cannot fail.
    if (this.#database.isTransaction) this.#end.get();
  }
}

/** Runs each statement by itself: reads on the reading connection, writes in turn with all others. */
export class DirectConnection implements Connection {
  readonly engine = 'sqlite';
  readonly kysely: Connection['kysely'];
  readonly #reader: Connection;
  readonly #turn: ReadTurn | undefined;
  readonly #commits: GroupCommit;

  constructor(reader: Connection, turn: ReadTurn | undefined, commits: GroupCommit) {
    this.kysely = reader.kysely;
    this.#reader = reader;
    this.#turn = turn;
    this.#commits = commits;
  }

  rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    if (statement.kind === 'read') return this.#read(statement, values);
    return this.#commits.write((connection) => connection.rows(statement, values));
  }

  rowsOfAll<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]> {
    if (statement.kind === 'read') return Promise.all(calls.map((values) => this.#read(statement, values)));
    return this.#commits.write((connection) => connection.rowsOfAll(statement, calls));
  }

  lock(): Promise<void> {
    return Promise.resolve();
  }

  #read<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    const turn = this.#turn;
    try {
      turn?.begin();
    } catch (error) {
      return Promise.reject(sqliteError(error));
    }
    const run = (): Promise<readonly Row[]> => this.#reader.rows(statement, values);
    return values === undefined && turn !== undefined ? turn.once(statement, run) : run();
  }
}
