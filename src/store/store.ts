import type { Engine } from './engine';
import { exportFolder, type ExportOptions, type ExportReport } from './export/export-folder';
import { importFolder, type ImportOptions } from './import/import-folder';
import type { ImportReport } from './import/import-report';
import { migrate } from './migrate';
import { openEngine, type StoreOptions } from './open-engine';
import { Subjects } from './subjects';
import { Transaction } from './transaction';

/** The school's data and the outbox. Everything it throws about the database is a StoreError. */
export class Store extends Subjects {
  readonly #engine: Engine;
  #closed: Promise<void> | undefined;
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
    return this.#engine.write((connection) => work(new Transaction(connection)));
  }

  /**
   * Loads a folder of CSV files. The store answers meanwhile, and the data of each file appears at once.
   *
   * @throws FolderError when there is nothing to load
   */
  importFolder(folder: string, options: ImportOptions = {}): Promise<ImportReport> {
    return this.#engine.session((session) => importFolder(session, folder, options));
  }

  /**
   * Writes everything that can be imported as CSV files, as it is at one moment.
   *
   * @throws FolderError when the files cannot be written
   */
  exportFolder(folder: string, options: ExportOptions = {}): Promise<ExportReport> {
    return this.#engine.session((session) => exportFolder(session, folder, options));
  }

  /** Rejects while the database does not answer. */
  ping(): Promise<void> {
    return this.#engine.ping();
  }

  /** Waits for the writes in progress; asking again changes nothing. */
  close(): Promise<void> {
    return (this.#closed ??= this.#engine.close());
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
