import { exportFolder, type ExportReport } from './csv/export-folder';
import { importFolder, type ImportOptions } from './csv/import-folder';
import type { ImportReport } from './csv/import-report';
import type { Engine } from './engine/engine';
import { Callers } from './figures/callers';
import { Figures } from './figures/figures';
import { Nodes } from './figures/nodes';
import { forget, type ForgetOptions, type ForgetReport, type ForgetSubject } from './forget';
import { inspectEngine, located, openEngine, type StoreInspection, type StoreOptions } from './open-engine';
import { AlertNotes, Backups, refuseMoved } from './keeping/marks';
import { checkSchema, migrate } from './migrations/migrate';
import { Deliveries } from './outbox/deliveries';
import { MESSAGE_CHANNELS, type MessageChannel } from './outbox/channels';
import { Receipts } from './outbox/receipts';
import { Usage } from './outbox/usage';
import { Queries, Transaction } from './transaction';

/** The school's data and the outbox. Everything it throws about the database is a StoreError. */
export class Store extends Queries {
  readonly #engine: Engine;
  #closed: Promise<void> | undefined;
  readonly deliveries: Deliveries;
  readonly receipts: Receipts;
  readonly usage: Usage;
  readonly figures: Figures;
  readonly callers: Callers;
  readonly nodes: Nodes;
  readonly backups: Backups;
  readonly alertNotes: AlertNotes;

  constructor(engine: Engine) {
    super(engine.direct, engine.reads);
    this.#engine = engine;
    this.deliveries = new Deliveries(engine);
    this.receipts = new Receipts(engine);
    this.usage = new Usage(engine.direct);
    this.figures = new Figures(engine);
    this.callers = new Callers(engine.reads ?? engine.direct);
    this.nodes = new Nodes(engine);
    this.backups = new Backups(engine);
    this.alertNotes = new AlertNotes(engine);
  }

  /**
   * Runs `work` in one transaction, which is durable when this resolves. What `work` throws undoes it and is
   * thrown on. `work` uses the given transaction only, and waits for nothing else: on SQLite the other writes
   * wait for it, so writing through the store itself in there would wait for ever.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#engine.write((connection) => work(new Transaction(connection)));
  }

  /**
   * As `write`, for work of a few statements that nobody waits long for, and which may be run more than once: what is
   * written in one turn of the event loop shares a transaction on both engines. One whose work throws is undone alone.
   */
  writeShort<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#engine.writeShort((connection) => work(new Transaction(connection)));
  }

  /** Whether nothing was loaded into the database yet, or a `fillNew` did not come to its end. */
  async isNew(): Promise<boolean> {
    const { kysely } = this.#engine.direct;
    return (await kysely.selectFrom('new_database').select('is_new').executeTakeFirst()) !== undefined;
  }

  /** The database is to stay as it is, empty or not. */
  noLongerNew(): Promise<void> {
    return this.#engine.write(async ({ kysely }) => {
      await kysely.deleteFrom('new_database').execute();
    });
  }

  /**
   * Loads a folder into a new database, which stays new until that is done: who is killed meanwhile, or does it
   * at the same time as others, does no harm.
   *
   * @throws FolderError when there is nothing to load
   */
  async fillNew(folder: string): Promise<ImportReport> {
    const report = await this.#engine.session((session) => importFolder(session, folder, {}));
    await this.noLongerNew();
    return report;
  }

  /**
   * Loads a folder of CSV files. The store answers meanwhile, and the data of each file appears at once.
   *
   * @throws FolderError when there is nothing to load or a file cannot be read
   */
  async importFolder(folder: string, options: ImportOptions = {}): Promise<ImportReport> {
    if (options.dryRun !== true) await this.noLongerNew();
    return this.#engine.session((session) => importFolder(session, folder, options));
  }

  /**
   * Writes everything that can be imported as CSV files, as it is at one moment.
   *
   * @throws FolderError when the files cannot be written
   */
  exportFolder(folder: string): Promise<ExportReport> {
    return this.#engine.session((session) => exportFolder(session, folder));
  }

  /** Takes out what is stored of somebody. The store answers meanwhile; on SQLite it leaves nothing in the file. */
  forget(subject: ForgetSubject, options: ForgetOptions): Promise<ForgetReport> {
    return forget(this.#engine, subject, options);
  }

  /** Tells other processes of new messages in a channel; a hint that may get lost. */
  announce(channel: MessageChannel): void {
    this.#engine.announce(channel);
  }

  /**
   * Hears of new messages that other processes announce.
   *
   * @returns what ends it
   */
  listen(onMessages: (channel: MessageChannel) => void): () => Promise<void> {
    return this.#engine.listen((topic) => {
      const channel = MESSAGE_CHANNELS.find((known) => known === topic);
      if (channel !== undefined) onMessages(channel);
    });
  }

  /** Rejects while the database does not answer, or takes no writes. */
  ping(): Promise<void> {
    return this.#engine.ping();
  }

  /** Waits for the writes in progress; asking again changes nothing. */
  close(): Promise<void> {
    return (this.#closed ??= this.#engine.close());
  }
}

/**
 * Opens the database, making it or bringing its schema up to date where needed and wanted.
 *
 * @throws StoreError with one line for the operator: what is wrong, and where
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  let engine: Engine | undefined;
  try {
    engine = openEngine(options);
    await engine.session(async (session) => {
      await (options.mustExist === true ? checkSchema : migrate)(session);
      await refuseMoved(session);
    });
    return new Store(engine);
  } catch (error) {
    await engine?.close();
    throw located(error, options.url);
  }
}

/**
 * Looks at a database, and whether it can be written, without making or changing anything.
 *
 * @throws StoreError as `openStore` does; one that lacks the schema, or has an older one, is none
 */
export async function inspectStore(options: Omit<StoreOptions, 'mustExist'>): Promise<StoreInspection> {
  let engine: Engine | undefined;
  try {
    engine = openEngine({ ...options, mustExist: true });
    return await inspectEngine(engine);
  } catch (error) {
    throw located(error, options.url);
  } finally {
    await engine?.close();
  }
}
