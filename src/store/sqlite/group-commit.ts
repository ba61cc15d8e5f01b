import { setTimeout as delay } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Connection, OnWrite } from '../engine/engine';
import {
  type DatabaseSyncInstance,
  PAUSE_MS,
  sqliteError,
  type StatementSyncInstance,
  waitForLock,
} from './library';

interface Job {
  /** Whether it may be run again. */
  readonly isShort: boolean;
  readonly run: () => Promise<void>;
  /** Tells the job that its transaction is on disk. */
  readonly committed: () => void;
  readonly failed: (error: unknown) => void;
}

/** Most writes in one transaction, so that requests in between are not kept waiting. */
const MOST_JOBS = 256;
/** How long the lock is left to another process that writes as well: in that time it tries again. */
const TURN_MS = 2 * PAUSE_MS;

/** Who is told of what was written. */
interface Listeners {
  /** Called before a transaction is committed; throws a StoreError where it must not be. */
  readonly beforeCommit?: () => void;
  /** Called before the writes of a transaction are told that it is on disk. */
  readonly onCommit?: () => void;
  readonly onWrite?: OnWrite | undefined;
}

/** A connection that tells whether something was changed over it. */
export interface WritingConnection extends Connection {
  /** How many statements it was asked for that may have changed something. */
  readonly changes: number;
}

/**
 * Lets the writes of one turn of the event loop share a transaction, and with it one fsync, which is what a
 * durable write costs. None is told that it succeeded before the transaction is on disk. A write that fails
 * is undone by itself (savepoint); one that fails the whole transaction, as a full disk does, fails all. Short writes
 * that follow each other share a savepoint, since SQLite keeps a copy of each page that is changed within one: where
 * one of them fails that changed something, they are run again, each in its own.
 *
 * SQLite keeps no queue of those that wait for its write lock: of two busy processes one would write again and
 * again, a few jobs at a time, while the other's callers wait. So whoever finds that another has written since
 * its own last transaction leaves it a turn.
 */
export class GroupCommit {
  readonly #database: DatabaseSyncInstance;
  readonly #connection: WritingConnection;
  readonly #lockTimeoutMs: number;
  readonly #listeners: Listeners;
  #waiting: Job[] = [];
  #failing = false;
  /** Changes with what other connections commit, and with nothing of this one's. */
  readonly #version: StatementSyncInstance;
  #seenVersion: number | undefined;
  /** On the clock of `performance.now()`. */
  #leftToOthersUntil = 0;
  #draining: Promise<void> | undefined;

  /**
   * @param connection - over `database`, and used by nobody else
   * @param lockTimeoutMs - how long to wait while another process holds the write lock
   */
  constructor(
    database: DatabaseSyncInstance,
    connection: WritingConnection,
    lockTimeoutMs: number,
    listeners: Listeners = {},
  ) {
    database.exec('pragma busy_timeout = 0'); // waitForLock waits
    this.#database = database;
    this.#version = database.prepare('pragma data_version');
    this.#connection = connection;
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#listeners = listeners;
  }

  write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#add(work, false);
  }

  /** Runs work that may be run more than once. */
  writeShort<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#add(work, true);
  }

  #add<T>(work: (connection: Connection) => Promise<T>, isShort: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#waiting.push({
        isShort,
        run: async () => {
          result = await work(this.#connection);
        },
        committed: () => {
          resolve(result);
        },
        failed: reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /**
   * Rejects while writing is not possible: at once where the lock or the file refuses it. A full disk is not
   * seen that way, so after a write that failed a real one is tried. No other tells that all is well again: one that
   * finds nothing to change succeeds on a full disk, too.
   */
  async check(): Promise<void> {
    const failing = this.#failing;
    await this.write(async ({ kysely }) => {
      if (failing) await sql`pragma user_version = 0`.execute(kysely);
    });
    if (failing) this.#failing = false;
  }

  /** Resolves when every write so far is committed or has failed. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The rest of this turn's requests are still to be read: their writes join.
      await new Promise(setImmediate);
      const othersTurnMs = this.#leftToOthersUntil - performance.now();
      if (othersTurnMs > 0) await delay(othersTurnMs);
      const asked = this.#waiting.length;
      const start = performance.now();
      try {
        await waitForLock(() => {
          this.#database.exec('begin immediate');
        }, this.#lockTimeoutMs);
      } catch (error) {
        this.#fail(this.#waiting.splice(0, asked), error, start);
        continue;
      }
      await this.#runTogether(this.#waiting.splice(0, MOST_JOBS), start);
    }
    this.#draining = undefined;
  }

  /** @param start - when the write lock was asked for */
  async #runTogether(jobs: readonly Job[], start: number): Promise<void> {
    const done: Job[] = [];
    try {
      const { data_version: version } = this.#version.get() as { readonly data_version: number };
      const othersWrote = version !== this.#seenVersion;
      this.#seenVersion = version;
      for (const together of inRuns(jobs)) {
        done.push(...(await (together.length > 1 ? this.#runShort(together) : this.#runEach(together))));
      }
      this.#listeners.beforeCommit?.();
      this.#database.exec('commit');
      if (othersWrote) this.#leftToOthersUntil = performance.now() + TURN_MS;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      // A job that failed by itself has been told already; telling it again does nothing.
      this.#fail(jobs, error, start);
      return;
    }
    this.#listeners.onWrite?.(performance.now() - start);
    this.#listeners.onCommit?.();
    for (const job of done) job.committed();
  }

  #fail(jobs: readonly Job[], error: unknown, start: number): void {
    this.#failing = true;
    const failure = sqliteError(error);
    this.#listeners.onWrite?.(performance.now() - start, failure.trouble);
    for (const job of jobs) job.failed(failure);
  }

  /**
   * @returns those that succeeded
   * @throws when the failure took the whole transaction with it
   */
  async #runShort(jobs: readonly Job[]): Promise<readonly Job[]> {
    this.#database.exec('savepoint jobs');
    const done: Job[] = [];
    for (const [at, job] of jobs.entries()) {
      const before = this.#connection.changes;
      try {
        await job.run();
        done.push(job);
      } catch (error) {
        if (!this.#database.isTransaction) throw error;
        if (this.#connection.changes !== before) {
          this.#database.exec('rollback to jobs; release jobs');
          return this.#runEach([...done, ...jobs.slice(at)]);
        }
        job.failed(error);
      }
    }
    this.#database.exec('release jobs');
    return done;
  }

  /**
   * @returns those that succeeded
   * @throws when the failure took the whole transaction with it
   */
  async #runEach(jobs: readonly Job[]): Promise<readonly Job[]> {
    const done: Job[] = [];
    for (const job of jobs) if (await this.#runInSavepoint(job)) done.push(job);
    return done;
  }

  /**
   * @returns whether the job succeeded
   * @throws when the failure took the whole transaction with it
   */
  async #runInSavepoint(job: Job): Promise<boolean> {
    this.#database.exec('savepoint job');
    try {
      await job.run();
      this.#database.exec('release job');
      return true;
    } catch (error) {
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('rollback to job; release job');
      job.failed(error);
      return false;
    }
  }
}

/** In their order: short ones that follow each other together, every other one by itself. */
function inRuns(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const runs: Job[][] = [];
  for (const job of jobs) {
    const last = runs.at(-1);
    if (job.isShort && last?.[0]?.isShort === true) last.push(job);
    else runs.push([job]);
  }
  return runs;
}
