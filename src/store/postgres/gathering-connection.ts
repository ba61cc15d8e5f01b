import { type Connection, type OnWrite, StoreError, watchWrite } from '../engine/engine';
import type { AnyStatement, HotStatement, SqlValue } from '../engine/hot-statement';
import type { PostgresConnection } from './postgres-connection';

/**
 * Gathers what is asked in one turn of the event loop, to be run together. Nothing waits for a later turn, unless as
 * much as may be is running already: what comes meanwhile is gathered for the next time.
 */
export class Gatherer<Asked> {
  readonly #run: (asked: readonly Asked[]) => Promise<void>;
  readonly #mostTogether: number;
  readonly #mostAtOnce: number;
  #waiting: Asked[] = [];
  #running = 0;
  #scheduled = false;

  /**
   * @param run - does not reject: it tells each of those who asked
   * @param mostTogether - how many are run together
   * @param mostAtOnce - how often it is run before the first one ends
   */
  constructor(run: (asked: readonly Asked[]) => Promise<void>, mostTogether: number, mostAtOnce: number) {
    this.#run = run;
    this.#mostTogether = mostTogether;
    this.#mostAtOnce = mostAtOnce;
  }

  add(asked: Asked): void {
    this.#waiting.push(asked);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#running >= this.#mostAtOnce) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#running += 1;
      void this.#run(this.#waiting.splice(0, this.#mostTogether)).finally(() => {
        this.#running -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }
}

type Rows = readonly (readonly SqlValue[])[];

interface Call {
  readonly values: unknown;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls that one statement takes at most. */
const MOST_CALLS = 256;

/**
 * Runs what is asked in one turn of the event loop together: the calls of a statement go to the server as one, and
 * come back at the price of one round trip.
 */
export class GatheringConnection implements Connection {
  readonly engine = 'postgres';
  readonly #inner: PostgresConnection;
  readonly #canRepeat: boolean;
  readonly #mostAtOnce: number;
  readonly #onWrite: OnWrite | undefined;
  readonly #calls = new Map<AnyStatement, Gatherer<Call>>();

  /**
   * @param canRepeat - whether each call is a transaction by itself: where one of several fails, the others are then
   *   run again without it
   * @param mostAtOnce - how often the same statement is on its way to the server
   * @param onWrite - told of each statement that writes; not where they are part of a transaction
   */
  constructor(inner: PostgresConnection, canRepeat: boolean, mostAtOnce: number, onWrite?: OnWrite) {
    this.#inner = inner;
    this.#canRepeat = canRepeat;
    this.#mostAtOnce = mostAtOnce;
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
      return this.#watched(statement, () => this.#inner.rows(statement, values));
    return new Promise<Rows>((resolve, reject) => {
      this.#callsOf(statement).add({ values, resolve, reject });
    }) as Promise<readonly Row[]>; // What is under a statement in the map is of its type.
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

  #callsOf(statement: AnyStatement): Gatherer<Call> {
    const known = this.#calls.get(statement);
    if (known !== undefined) return known;
    const calls = new Gatherer<Call>((some) => this.#run(statement, some), MOST_CALLS, this.#mostAtOnce);
    this.#calls.set(statement, calls);
    return calls;
  }

  #watched<T>({ kind }: AnyStatement, ask: () => Promise<T>): Promise<T> {
    return kind === 'write' && this.#onWrite !== undefined ? watchWrite(this.#onWrite, ask) : ask();
  }

  async #run(statement: AnyStatement, calls: readonly Call[]): Promise<void> {
    // Every call brought values of the statement's own type.
    const values = calls.map((call) => call.values) as never[];
    try {
      const rows = await this.#watched(statement, () => this.#inner.rowsOfAll(statement, values));
      for (const [at, call] of calls.entries()) call.resolve(rows[at] ?? []);
    } catch (error) {
      if (calls.length > 1 && this.#canRepeat && isOfOneCall(error)) {
        await Promise.all(calls.map((call) => this.#run(statement, [call])));
      } else {
        for (const call of calls) call.reject(error);
      }
    }
  }
}

/** Whether something may be wrong with one call of several; nothing of them was done then. */
export function isOfOneCall(error: unknown): boolean {
  return error instanceof StoreError && (error.trouble === 'failed' || error.trouble === 'conflict');
}
