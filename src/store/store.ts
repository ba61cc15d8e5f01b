import type { Engine } from './engine';
import { migrate } from './migrate';
import { openEngine, type StoreOptions } from './open-engine';
import { Subjects } from './subjects';

/** What is done in one transaction: all of it is kept, or nothing. */
export type Transaction = Subjects;

/** The school's data and the outbox. Everything it throws about the database is a StoreError. */
export class Store extends Subjects {
  readonly #engine: Engine;
  /** Whether this start made the schema: the database was empty. */
  readonly created: boolean;

  constructor(engine: Engine, created: boolean) {
    super(engine.direct);
    this.#engine = engine;
    this.created = created;
  }

  /**
   * Runs `work` in one transaction, which is durable when this resolves. What `work` throws undoes it and is
   * thrown on. `work` uses the given subjects only, and waits for nothing else: on SQLite the other writes
   * wait for it, so writing through the store itself in there would wait for ever.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#engine.write((connection) => work(new Subjects(connection)));
  }

  /** Rejects while the database does not answer. */
  ping(): Promise<void> {
    return this.#engine.ping();
  }

  /** Waits for the writes in progress. */
  close(): Promise<void> {
    return this.#engine.close();
  }
}

/**
 * Opens the database, making it or bringing its schema up to date where needed.
 *
 * @throws StoreError with one line for the operator: what is wrong, where, what to do
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const engine = openEngine(options);
  try {
    return new Store(engine, await migrate(engine));
  } catch (error) {
    await engine.close();
    throw error;
  }
}
