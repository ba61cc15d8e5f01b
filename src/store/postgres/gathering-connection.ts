import { type AnyStatement, type Connection, type HotStatement, type SqlValue, StoreError } from '../engine';
import type { PostgresConnection } from './postgres-connection';

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
 * come back at the price of one round trip. Nothing waits for a later turn.
 */
export class GatheringConnection implements Connection {
  readonly engine = 'postgres';
  readonly #inner: PostgresConnection;
  readonly #canRepeat: boolean;
  #waiting = new Map<AnyStatement, Call[]>();

  /**
   * @param canRepeat - whether each call is a transaction by itself: where one of several fails, the others are then
   *   run again without it
   */
  constructor(inner: PostgresConnection, canRepeat: boolean) {
    this.#inner = inner;
    this.#canRepeat = canRepeat;
  }

  get kysely(): Connection['kysely'] {
    return this.#inner.kysely;
  }

  rows<Values, Row extends readonly SqlValue[]>(
    statement: HotStatement<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    if (statement.kind === 'write' && statement.gathers !== true) return this.#inner.rows(statement, values);
    return new Promise<Rows>((resolve, reject) => {
      if (this.#waiting.size === 0) setImmediate(this.#runAll);
      const call = { values, resolve, reject };
      const calls = this.#waiting.get(statement);
      if (calls === undefined) this.#waiting.set(statement, [call]);
      else calls.push(call);
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

  readonly #runAll = (): void => {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [statement, calls] of waiting) {
      for (let at = 0; at < calls.length; at += MOST_CALLS) {
        void this.#run(statement, calls.slice(at, at + MOST_CALLS));
      }
    }
  };

  async #run(statement: AnyStatement, calls: readonly Call[]): Promise<void> {
    // Every call brought values of the statement's own type.
    const values = calls.map((call) => call.values) as never[];
    try {
      const rows = await this.#inner.rowsOfAll(statement, values);
      for (const [at, call] of calls.entries()) call.resolve(rows[at] ?? []);
    } catch (error) {
      if (calls.length > 1 && this.#canRepeat && isOfOneCall(error)) {
        for (const call of calls) void this.#run(statement, [call]);
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
