import { systemErrorCode } from '../../support/errors';
import { type Connection, type OnWrite, StoreError, watchWrite } from '../engine/engine';
import type { AnyStatement, HotStatement, SqlValue } from '../engine/hot-statement';
import type { PostgresConnection } from './postgres-connection';

interface Rejectable {
  readonly reject: (error: unknown) => void;
}

/**
 * Collects requests made in one turn of the event loop and runs them together. They run at once, unless the
 * maximum number of batches is running: then they wait for the next batch. If that times out, they fail with
 * it: they would only wait as long again.
 */
export class Gatherer<Call extends Rejectable> {
  readonly #run: (asked: readonly Call[]) => Promise<unknown>;
  readonly #maxBatch: number;
  readonly #maxConcurrent: number;
  #waiting: Call[] = [];
  #running = 0;
  #scheduled = false;

  /**
   * @param run - runs a batch and reports to each request; must not reject, but return the error if it failed
   * @param maxBatch - maximum size of a batch
   * @param maxConcurrent - maximum number of concurrent batches
   */
  constructor(run: (asked: readonly Call[]) => Promise<unknown>, maxBatch: number, maxConcurrent: number) {
    this.#run = run;
    this.#maxBatch = maxBatch;
    this.#maxConcurrent = maxConcurrent;
  }

  add(asked: Call): void {
    this.#waiting.push(asked);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#running >= this.#maxConcurrent) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#running += 1;
      void this.#run(this.#waiting.splice(0, this.#maxBatch)).then((failure) => {
        this.#running -= 1;
        if (tookTooLong(failure)) for (const { reject } of this.#waiting.splice(0)) reject(failure);
        this.#schedule();
      });
      this.#schedule();
    });
  }
}

type Rows = readonly (readonly SqlValue[])[];

interface Call extends Rejectable {
  readonly values: unknown;
  readonly resolve: (rows: Rows) => void;
}

/** An answer that may be used again. */
interface Recent {
  readonly rows: Promise<Rows>;
  /** On the clock of `performance.now()`. */
  readonly until: number;
}

/** Maximum number of calls in one statement. */
const MAX_CALLS = 256;

/**
 * Runs the calls made in one turn of the event loop together: the calls of a statement are sent to the server
 * as one, for a single round trip.
 */
export class GatheringConnection implements Connection {
  readonly engine = 'postgres';
  readonly #inner: PostgresConnection;
  readonly #canRepeat: boolean;
  readonly #maxAtOnce: number;
  readonly #onWrite: OnWrite | undefined;
  readonly #calls = new Map<AnyStatement, Gatherer<Call>>();
  readonly #recent = new Map<AnyStatement, Recent>();

  /**
   * @param canRepeat - true if each call is a transaction by itself: one that PostgreSQL undid is repeated,
   * and if one of several fails, the others are run again without it
   * @param maxAtOnce - maximum number of concurrent executions of a statement
   * @param onWrite - called for each writing statement; omitted within a transaction
   */
  constructor(inner: PostgresConnection, canRepeat: boolean, maxAtOnce: number, onWrite?: OnWrite) {
    this.#inner = inner;
    this.#canRepeat = canRepeat;
    this.#maxAtOnce = maxAtOnce;
    this.#onWrite = onWrite;
  }

  get kysely(): Connection['kysely'] {
    return this.#inner.kysely;
  }

  rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    if (statement.kind === 'write' && statement.gathers !== true)
      return this.#ask(statement, () => this.#inner.rows(statement, values));
    const recent = this.#recent.get(statement);
    const rows =
      recent !== undefined && performance.now() < recent.until
        ? recent.rows
        : new Promise<Rows>((resolve, reject) =>
            this.#gathererFor(statement).add({ values, resolve, reject }),
          );
    return rows as Promise<readonly Row[]>; // What is under a statement in the maps is of its type.
  }

  rowsOfAll<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    calls: readonly Values[],
  ): Promise<readonly (readonly Row[])[]> {
    return this.#inner.rowsOfAll(statement, calls);
  }

  lock(names: readonly string[]): Promise<void> {
    return this.#inner.lock(names);
  }

  #gathererFor(statement: AnyStatement): Gatherer<Call> {
    const known = this.#calls.get(statement);
    if (known !== undefined) return known;
    const calls = new Gatherer<Call>((some) => this.#run(statement, some), MAX_CALLS, this.#maxAtOnce);
    this.#calls.set(statement, calls);
    return calls;
  }

  #ask<T>({ kind }: AnyStatement, ask: () => Promise<T>): Promise<T> {
    const askAll = this.#canRepeat ? () => repeatUndone(ask) : ask;
    return kind === 'write' && this.#onWrite !== undefined ? watchWrite(this.#onWrite, askAll) : askAll();
  }

  async #run(statement: AnyStatement, calls: readonly Call[]): Promise<unknown> {
    // Every call has values of the statement's own type.
    const values = calls.map((call) => call.values) as never[];
    const start = performance.now();
    try {
      const rows = await this.#ask(statement, () => this.#inner.rowsOfAll(statement, values));
      const { reusedMs } = statement;
      if (reusedMs !== undefined)
        this.#recent.set(statement, { rows: Promise.resolve(rows[0] ?? []), until: start + reusedMs });
      for (const [at, call] of calls.entries()) call.resolve(rows[at] ?? []);
      return undefined;
    } catch (error) {
      if (calls.length > 1 && this.#canRepeat && isOfOneCall(error)) {
        const failures = await Promise.all(calls.map((call) => this.#run(statement, [call])));
        return failures.find(tookTooLong);
      }
      for (const call of calls) call.reject(error);
      return error;
    }
  }
}

/** Returns true for a statement that timed out, also while waiting for a lock. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof StoreError && (error.trouble === 'timeout' || error.trouble === 'locked');
}

/** Returns true if a single call of several may be the cause; none of them took effect then. */
export function isOfOneCall(error: unknown): boolean {
  return error instanceof StoreError && (error.trouble === 'failed' || error.trouble === 'conflict');
}

/** SQLSTATE of transactions that PostgreSQL undid because of another one; the same one may succeed later. */
const UNDONE: readonly unknown[] = ['40001', '40P01'];
const MAX_REPETITIONS = 2;

/** Runs a transaction, and repeats it up to twice if PostgreSQL undid it because of another one. */
export async function repeatUndone<T>(transact: () => Promise<T>): Promise<T> {
  for (let repetitions = 0; ; repetitions += 1) {
    try {
      return await transact();
    } catch (error) {
      const isUndone = error instanceof StoreError && UNDONE.includes(systemErrorCode(error.cause));
      if (!isUndone || repetitions === MAX_REPETITIONS) throw error;
    }
  }
}
