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
  /** True if it may be run again. */
  readonly isShort: boolean;
  readonly run: () => Promise<void>;
  /** Reports to the job that its transaction is on disk; has no effect on a job that has failed. */
  readonly committed: () => void;
  /** Reports the job's first failure; later ones have no effect. */
  readonly failed: (error: unknown) => void;
}

/** Maximum number of writes in one transaction, so that requests in between need not wait long. */
const MAX_JOBS = 256;
/** Time for which the lock is left to another writing process, which retries within that time. */
const TURN_MS = 2 * PAUSE_MS;

/** Callbacks around a commit. */
interface Listeners {
  /** Called before a commit; throws a StoreError to prevent it. */
  readonly beforeCommit?: () => void;
  /** Called after a commit, before its writes are reported as done. */
  readonly onCommit?: () => void;
  readonly onWrite?: OnWrite | undefined;
}

/** A connection that counts its changes. */
export interface WritingConnection extends Connection {
  /** Number of statements run so far that may have changed something. */
  readonly changes: number;
}

/**
 * Lets the writes of one turn of the event loop share a transaction, and with it one fsync, the cost of a
 * durable write. None is reported as successful before the transaction is on disk. A failing write is undone
 * by itself (savepoint); a failure of the whole transaction, such as a full disk, fails all. Consecutive
 * short writes share a savepoint, since SQLite copies each page changed within one; if one of them fails
 * after changing something, they are run again, each in its own.
 *
 * SQLite has no queue for its write lock: of two busy processes one would write again and again, a few jobs
 * at a time, while the other's callers wait. So a process that notices another's write since its own last
 * transaction yields the lock to it once.
 */
export class GroupCommit {
  readonly #database: DatabaseSyncInstance;
  readonly #connection: WritingConnection;
  readonly #lockTimeoutMs: number;
  readonly #listeners: Listeners;
  #waiting: Job[] = [];
  #failing = false;
  /** Changes with other connections' commits, not with this one's. */
  readonly #version: StatementSyncInstance;
  #seenVersion: number | undefined;
  /** End of the yield, on the clock of `performance.now()`. */
  #leftToOthersUntil = 0;
  #draining: Promise<void> | undefined;

  /**
   * @param connection - over `database`, used by nothing else
   * @param lockTimeoutMs - maximum wait while another process holds the write lock
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
        committed: () => resolve(result),
        failed: reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /**
   * Rejects while writing is impossible: at once if the lock or the file refuses it. A full disk does not
   * show that way, so after a failed write a real one is tried. Only that proves recovery: a write without
   * changes succeeds even on a full disk.
   */
  async check(): Promise<void> {
    const failing = this.#failing;
    await this.write(async ({ kysely }) => {
      if (failing) await sql`pragma user_version = 0`.execute(kysely);
    });
    if (failing) this.#failing = false;
  }

  /** Resolves when all writes so far are committed or have failed. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The remaining requests of this turn have yet to be read: their writes join.
      await new Promise(setImmediate);
      const othersTurnMs = this.#leftToOthersUntil - performance.now();
      if (othersTurnMs > 0) await delay(othersTurnMs);
      const asked = this.#waiting.length;
      const start = performance.now();
      try {
        await waitForLock(() => this.#database.exec('begin immediate'), this.#lockTimeoutMs);
      } catch (error) {
        this.#fail(this.#waiting.splice(0, asked), error, start);
        continue;
      }
      await this.#runTogether(this.#waiting.splice(0, MAX_JOBS), start);
    }
    this.#draining = undefined;
  }

  /** @param start - when the write lock was requested */
  async #runTogether(jobs: readonly Job[], start: number): Promise<void> {
    try {
      const { data_version: version } = this.#version.get() as { readonly data_version: number };
      const othersWrote = version !== this.#seenVersion;
      this.#seenVersion = version;
      for (const together of inRuns(jobs)) {
        await (together.length > 1 ? this.#runShort(together) : this.#runEach(together));
      }
      this.#listeners.beforeCommit?.();
      this.#database.exec('commit');
      if (othersWrote) this.#leftToOthersUntil = performance.now() + TURN_MS;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      this.#fail(jobs, error, start);
      return;
    }
    this.#listeners.onWrite?.(performance.now() - start);
    this.#listeners.onCommit?.();
    for (const job of jobs) job.committed();
  }

  #fail(jobs: readonly Job[], error: unknown, start: number): void {
    this.#failing = true;
    const failure = sqliteError(error);
    this.#listeners.onWrite?.(performance.now() - start, failure.trouble);
    for (const job of jobs) job.failed(failure);
  }

  /** @throws when the failure affects the whole transaction */
  async #runShort(jobs: readonly Job[]): Promise<void> {
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
  }

  /** @throws when the failure affects the whole transaction */
  async #runEach(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      this.#database.exec('savepoint job');
      try {
        await job.run();
        this.#database.exec('release job');
      } catch (error) {
        if (!this.#database.isTransaction) throw error;
        this.#database.exec('rollback to job; release job');
        job.failed(error);
      }
    }
  }
}

/** Groups jobs in order: consecutive short ones together, every other one by itself. */
function inRuns(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const runs: Job[][] = [];
  for (const job of jobs) {
    const last = runs.at(-1);
    if (job.isShort && last?.[0]?.isShort === true) last.push(job);
    else runs.push([job]);
  }
  return runs;
}
