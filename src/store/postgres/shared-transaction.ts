import type { PoolClient, QueryResult } from 'pg';

import { type Connection, StoreError } from '../engine/engine';
import type { HotStatement, SqlValue } from '../engine/hot-statement';
import { GatheringConnection } from './gathering-connection';
import { type CompiledStatements, PostgresConnection, type QueryRunner } from './postgres-connection';

export type Work<T> = (connection: Connection) => Promise<T>;

/** Result of one job of a shared transaction after the commit. */
export type JobOutcome = { readonly result: unknown } | { readonly error: unknown };

/** Thrown when a job failed after writing something: the transaction must not be committed. */
export class JobToBeUndone extends Error {
  override readonly name = 'JobToBeUndone';
}

/**
 * Runs several jobs concurrently in one transaction. Their statements of one turn of the event loop are sent
 * to the server as one; a job that requests another job's lock waits for that job to end, as with separate
 * transactions.
 *
 * @throws JobToBeUndone, or the StoreError of a statement: nothing must be committed then
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
  // No job may be left running on a returned connection.
  const settled = await Promise.allSettled(jobs.map(run));
  return settled.map((job) => {
    if (job.status === 'rejected') throw job.reason;
    return job.value;
  });
}

/** Serializes the concurrent queries of jobs for the driver's client. */
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

/** A job's view of the shared transaction. */
class JobConnection implements Connection {
  readonly engine = 'postgres';
  readonly #connection: Connection;
  readonly #locks: JobLocks;
  readonly #ended: Promise<void>;
  /** Releases the job's locks to the jobs waiting for them. */
  end: () => void = () => undefined;
  hasWritten = false;

  constructor(connection: Connection, locks: JobLocks) {
    this.#connection = connection;
    this.#locks = locks;
    this.#ended = new Promise((resolve) => (this.end = resolve));
  }

  get kysely(): Connection['kysely'] {
    this.hasWritten = true; // Its later use cannot be seen from here.
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

/** Locks among the jobs of one transaction: the server only knows that the transaction has them. */
class JobLocks {
  readonly #connection: Connection;
  /** End of the last job that requested the lock, by name. */
  readonly #last = new Map<string, Promise<void>>();
  #asked = new Set<string>();
  #answer: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Waits for earlier requests of the same locks. @param ended - resolves when the job releases them */
  async take(names: readonly string[], ended: Promise<void>): Promise<void> {
    const before = names.flatMap((name) => this.#last.get(name) ?? []).filter((job) => job !== ended);
    for (const name of names) this.#last.set(name, ended);
    // Includes locks of other jobs: all locks of a turn are requested from the server together, in one order.
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
