import type { CompiledQuery } from 'kysely';

import { type Connection, type Engine, StoreError } from '../../src/store/engine/engine';
import type { HotStatement, SqlValue } from '../../src/store/engine/hot-statement';
import { kyselyOver } from './kysely-over';
import { oneByOne } from './one-by-one';
import { SimulatedEngine } from './simulated-engine';
import type { Host, VirtualTime } from './virtual-time';

/** A hot statement that was run, in a transaction that is committed. */
export interface Written {
  /** Statements of one transaction have the same. */
  readonly transaction: number;
  readonly host: Host;
  readonly name: string;
  readonly values: unknown;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Describes what goes wrong between the processes and their database. */
export interface StoreWeather {
  /** One statement in so many fails; 0 for none. */
  failsOnceIn: number;
  /** Most milliseconds that a statement takes. */
  slownessMs: number;
}

/** Puts a planted bug in place of a statement. */
export type StatementTwin = <Hot extends HotStatement<never, readonly SqlValue[]>>(statement: Hot) => Hot;

export interface SharedStore {
  readonly engine: Engine;
  readonly time: VirtualTime;
  readonly weather: StoreWeather;
  /** In the order of the commits; read between two steps of the world. */
  readonly committed: Map<number, Written>;
  readonly twin: StatementTwin;
  /**
   * Called when the outcome of a message may be recorded late, or never; without an id, that of any message, as all
   * share a lock.
   */
  readonly disturb: (messageId: string | undefined) => void;
  executed: number;
  transactions: number;
}

const QUICK_MS = 4;

/**
 * How one process sees the database that it shares with others: each statement takes its time, may fail before it
 * is run, and where the database is a server, after it is committed, too; and a process that ends leaves its
 * transactions to be rolled back.
 */
export class HostEngine extends SimulatedEngine {
  readonly name;
  readonly direct: Connection;
  readonly #shared: SharedStore;
  readonly #host: Host;

  constructor(shared: SharedStore, host: Host) {
    super();
    this.#shared = shared;
    this.#host = host;
    this.name = shared.engine.name;
    this.direct = oneByOne({
      engine: this.name,
      kysely: kyselyOver(<Row>(query: CompiledQuery) =>
        this.#commit((connection) => connection.kysely.executeQuery<Row>(query)),
      ),
      rows: (statement, values) =>
        this.#commit((connection) => connection.rows(statement, values), settledBy(statement.name, values)),
    });
  }

  async write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#commit((connection) => work(this.#slowly(connection)));
  }

  /** @param messageId - of the message whose end it records, where it does */
  async #commit<T>(work: (connection: Connection) => Promise<T>, messageId?: string): Promise<T> {
    const shared = this.#shared;
    const transaction = (shared.transactions += 1);
    const written = new Map<number, Written>();
    await this.#reach(messageId);
    const result = await shared.engine.write((connection) =>
      Promise.race([work(this.#watched(connection, transaction, written)), this.#host.end]),
    );
    for (const [at, each] of written) shared.committed.set(at, each);
    await this.#answer(shared.engine.name === 'postgres', messageId);
    return result;
  }

  /** Keeps what is run for those who judge it, once it is committed. */
  #watched(connection: Connection, transaction: number, written: Map<number, Written>): Connection {
    return oneByOne({
      engine: connection.engine,
      kysely: connection.kysely,
      rows: async <Values, Row extends readonly SqlValue[]>(
        statement: HotStatement<Values, Row>,
        values: Values,
      ) => {
        const rows = await connection.rows(this.#shared.twin(statement), values);
        const at = (this.#shared.executed += 1);
        written.set(at, { transaction, host: this.#host, name: statement.name, values, rows });
        return rows;
      },
    });
  }

  /** In a transaction, each statement goes to the database and back. */
  #slowly(connection: Connection): Connection {
    const run = async <T>(statement: () => Promise<T>): Promise<T> => {
      await this.#reach();
      const result = await statement();
      await this.#answer(false);
      return result;
    };
    return oneByOne({
      engine: connection.engine,
      kysely: kyselyOver(<Row>(query: CompiledQuery) =>
        run(() => connection.kysely.executeQuery<Row>(query)),
      ),
      rows: (statement, values) => run(() => connection.rows(statement, values)),
    });
  }

  async #reach(messageId?: string): Promise<void> {
    await this.#takeTime(messageId);
    this.#mayFail(messageId);
  }

  async #answer(mayFail: boolean, messageId?: string): Promise<void> {
    await this.#takeTime(messageId);
    if (mayFail) this.#mayFail(messageId);
  }

  async #takeTime(messageId: string | undefined): Promise<void> {
    const { time, weather, disturb } = this.#shared;
    const isSlow = weather.slownessMs > 0 && time.random.once(4);
    if (!isSlow) {
      await this.#host.delay(time.random.below(QUICK_MS));
      return;
    }
    disturb(messageId);
    await this.#host.delay(time.random.below(weather.slownessMs));
    disturb(messageId);
  }

  #mayFail(messageId: string | undefined): void {
    const { time, weather, disturb } = this.#shared;
    if (weather.failsOnceIn === 0 || !time.random.once(weather.failsOnceIn)) return;
    disturb(messageId);
    throw new StoreError('unavailable', 'The simulated database failed.');
  }
}

/** The message whose end a statement records, if it does. */
function settledBy(name: string, values: unknown): string | undefined {
  // The statement's own type, by its name.
  return name === 'settle_message' ? (values as { readonly id: string }).id : undefined;
}
