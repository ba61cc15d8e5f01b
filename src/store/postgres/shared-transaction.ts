import type { PoolClient, QueryResult } from 'pg';

import { type Connection, StoreError } from '../engine/engine';
import type { HotStatement, SqlValue } from '../engine/hot-statement';
import { GatheringConnection } from './gathering-connection';
import { type CompiledStatements, PostgresConnection, type QueryRunner } from './postgres-connection';

export type Work<T> = (connection: Connection) => Promise<T>;

/** What came of one job of a shared transaction, once that is committed. */
export type JobOutcome = { readonly result: unknown } | { readonly error: unknown };

/** A job failed that had written something: the transaction is not to be committed. */
export class JobToBeUndone extends Error {
  override readonly name = 'JobToBeUndone';
}

/**
 * Runs several jobs at once in one transaction. What they ask in one turn of the event loop goes to the server as one
 * statement; who takes a lock that another job has waits for that one's end, as it would for another transaction.
 *
 * @throws JobToBeUndone, or the StoreError of a statement: nothing is to be committed then
 */
export async function runTogether(
  client: PoolClient,
  compiled: CompiledStatements,
  jobs: readonly Work<unknown>[],
): Promise<readonly JobOutcome[]> {
  const connection = new GatheringConnection(new PostgresConnection(oneAtATime(client), compiled), false, 1);
  const locks = new JobLocks(connection);
  const run = async (work: Work<unknown>): Promise<JobOutcome> => {
    const job = new JobConnection(connection, locks);
    try {
      return { result: await work(job) };
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (job.hasWritten) throw new JobToBeUndone();
      return { error };
    } finally {
      job.end();
    }
  };
  // None is left running on a connection that is given back.
  const settled = await Promise.allSettled(jobs.map(run));
  return settled.map((job) => {
    if (job.status === 'rejected') throw job.reason;
    return job.value;
  });
}

/** Jobs ask at once; a client of the driver is to be asked one thing after the other. */
function oneAtATime(client: PoolClient): QueryRunner {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query: (config, values) => {
      const ask = (): Promise<QueryResult> => client.query(config, values);
      const answer = last.then(ask, ask);
      last = answer;
      return answer;
    },
  };
}

/** What one job sees of the transaction. */
class JobConnection implements Connection {
  readonly engine = 'postgres';
  readonly #connection: Connection;
  readonly #locks: JobLocks;
  readonly #ended: Promise<void>;
  /** Lets those go on who wait for what the job has locked. */
  end: () => void = () => undefined;
  hasWritten = false;

  constructor(connection: Connection, locks: JobLocks) {
    this.#connection = connection;
    this.#locks = locks;
    this.#ended = new Promise((resolve) => (this.end = resolve));
  }

  get kysely(): Connection['kysely'] {
    this.hasWritten = true; // Nobody sees what is done with it.
    return this.#connection.kysely;
  }

  rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    if (statement.kind === 'write') this.hasWritten = true;
    return this.#connection.rows(statement, values);
  }

  rowsOfAll<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]> {
    if (statement.kind === 'write') this.hasWritten = true;
    return this.#connection.rowsOfAll(statement, calls);
  }

  lock(names: readonly string[]): Promise<void> {
    return this.#locks.take(names, this.#ended);
  }
}

/** Locks among the jobs of one transaction: the server knows only that the transaction has them. */
class JobLocks {
  readonly #connection: Connection;
  /** By name, when the last job ends that asked for it. */
  readonly #last = new Map<string, Promise<void>>();
  #asked = new Set<string>();
  #answer: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Waits for those who asked before.
   *
   * @param ended - when the job gives them back
   */
  async take(names: readonly string[], ended: Promise<void>): Promise<void> {
    const before = names.flatMap((name) => this.#last.get(name) ?? []).filter((job) => job !== ended);
    for (const name of names) this.#last.set(name, ended);
    // Also for what another job has: the server is asked for all locks of a turn at once, in one order.
    await this.#ask(names);
    await Promise.all(before);
  }

  #ask(names: readonly string[]): Promise<void> {
    for (const name of names) this.#asked.add(name);
    this.#answer ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      const asked = this.#asked;
      this.#asked = new Set();
      this.#answer = undefined;
      return this.#connection.lock([...asked]);
    });
    return this.#answer;
  }
}
