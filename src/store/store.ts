import { EXACT_KEYS, type KeyCollation } from '../support/key-collation';
import { exportFolder, type ExportReport } from './csv/export-folder';
import { importFolder, type ImportOptions } from './csv/import-folder';
import type { ImportReport, UndoReport } from './csv/import-report';
import { lastUndo, UndoCounts, undoImport } from './csv/import-undo';
import type { Connection, Engine } from './engine/engine';
import { forget, type ForgetOptions, type ForgetReport, type ForgetSubject } from './forget';
import { AlertNotes } from './keeping/alert-notes';
import { Backups } from './keeping/backups';
import { Imports } from './keeping/imports';
import { checkCollation, refuseMoved } from './keeping/open-checks';
import { checkSchema, migrate } from './migrations/migrate';
import { inspectEngine, located, openEngine, type StoreInspection, type StoreOptions } from './open-engine';
import { MESSAGE_CHANNELS, type MessageChannel } from './outbox/channels';
import { Deliveries } from './outbox/deliveries';
import { Workers } from './outbox/holds';
import { type KeyForm, keyForm } from './queries/schools';
import { Callers } from './stats/callers';
import { Nodes } from './stats/nodes';
import { Stats } from './stats/stats';
import { Queries, Transaction } from './transaction';

/** The school's data and the outbox. All errors about the database are StoreErrors. */
export class Store extends Queries {
  readonly #engine: Engine;
  readonly #keys: KeyCollation;
  /** By connection: SQLite has one for all writes. */
  readonly #transactions = new WeakMap<Connection, Transaction>();
  readonly #undoCounts = new UndoCounts();
  #closed: Promise<void> | undefined;
  readonly deliveries: Deliveries;
  readonly stats: Stats;
  readonly callers: Callers;
  readonly nodes: Nodes;
  readonly backups: Backups;
  readonly imports: Imports;
  readonly alertNotes: AlertNotes;
  readonly workers: Workers;

  /** Returns the form in which ids are compared. */
  readonly keyForm: KeyForm;

  constructor(engine: Engine, keys = EXACT_KEYS) {
    super(engine.direct, engine.reads, keys);
    this.#engine = engine;
    this.#keys = keys;
    this.keyForm = keyForm(keys.fold);
    this.deliveries = new Deliveries(engine, keys !== EXACT_KEYS);
    this.stats = new Stats(engine);
    this.callers = new Callers(engine.reads ?? engine.direct);
    this.nodes = new Nodes(engine);
    this.backups = new Backups(engine);
    this.imports = new Imports(engine);
    this.alertNotes = new AlertNotes(engine);
    this.workers = new Workers(engine);
  }

  /**
   * Runs `work` in one transaction, which is durable when this resolves. An error of `work` undoes it and is
   * rethrown. `work` must use only the given transaction, and wait for nothing else: on SQLite other writes
   * wait for it, so a write through the store itself would deadlock.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#engine.write((connection) => work(this.#transactionOn(connection)));
  }

  /**
   * Like `write`, for work of a few statements that may be run more than once: writes of one turn of the
   * event loop share a transaction on both engines. If one fails, only that one is undone.
   */
  writeShort<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#engine.writeShort((connection) => work(this.#transactionOn(connection)));
  }

  #transactionOn(connection: Connection): Transaction {
    const known = this.#transactions.get(connection);
    if (known !== undefined) return known;
    const transaction = new Transaction(connection, this.#keys);
    this.#transactions.set(connection, transaction);
    return transaction;
  }

  /** Returns true if nothing has been loaded into the database yet, or a `fillNew` was not completed. */
  async isNew(): Promise<boolean> {
    const { kysely } = this.#engine.direct;
    return (await kysely.selectFrom('new_database').select('is_new').executeTakeFirst()) !== undefined;
  }

  /** Marks the database as no longer new, even if it is empty. */
  noLongerNew(): Promise<void> {
    return this.#engine.write(async ({ kysely }) => {
      await kysely.deleteFrom('new_database').execute();
    });
  }

  /**
   * Loads a folder into a new database, which stays new until that is done: being killed meanwhile, or
   * running concurrently, does no harm.
   *
   * @throws FolderError when there is nothing to load
   */
  async fillNew(folder: string): Promise<ImportReport> {
    const report = await this.#engine.session((session) => importFolder(session, folder, {}, this.#keys));
    await this.noLongerNew();
    return report;
  }

  /**
   * Loads a folder of CSV files. The store stays available meanwhile, and the data of each file appears at
   * once.
   *
   * @throws FolderError when there is nothing to load or a file cannot be read
   */
  async importFolder(folder: string, options: ImportOptions = {}): Promise<ImportReport> {
    if (options.dryRun !== true) await this.noLongerNew();
    return this.#engine.session((session) => importFolder(session, folder, options, this.#keys));
  }

  /** Returns what an undo of the last import would do; undefined without an import to undo. */
  lastUndo(): Promise<UndoReport | undefined> {
    return lastUndo(this.#engine.direct.kysely, this.#undoCounts);
  }

  /** Takes the last import back as a whole. @throws StoreError if that is not possible */
  undoImport(): Promise<UndoReport> {
    return this.#engine.session((session) => undoImport(session, Date.now()));
  }

  /**
   * Writes everything that can be imported as CSV files, from one consistent snapshot.
   *
   * @throws FolderError when the files cannot be written
   */
  exportFolder(folder: string): Promise<ExportReport> {
    return this.#engine.session((session) => exportFolder(session, folder, this.#keys !== EXACT_KEYS));
  }

  /** Erases a person's data. The store stays available meanwhile; on SQLite no trace remains in the file. */
  forget(subject: ForgetSubject, options: ForgetOptions): Promise<ForgetReport> {
    return forget(this.#engine, subject, options);
  }

  /** Notifies other processes of new messages in a channel; the hint may get lost. */
  announce(channel: MessageChannel): void {
    this.#engine.announce(channel);
  }

  /** Listens for other processes' announcements of new messages. @returns a function that stops listening */
  listen(onMessages: (channel: MessageChannel) => void): () => Promise<void> {
    return this.#engine.listen((topic) => {
      const channel = MESSAGE_CHANNELS.find((known) => known === topic);
      if (channel !== undefined) onMessages(channel);
    });
  }

  /** Servers of PostgreSQL that accept writes although they are not the primary, as `HOST:PORT`. */
  get secondPrimaries(): readonly string[] {
    return this.#engine.secondPrimaries ?? [];
  }

  /** Rejects while the database is unavailable or read-only. */
  ping(): Promise<void> {
    return this.#engine.ping();
  }

  /** Waits for the writes in progress; may be called again. */
  close(): Promise<void> {
    return (this.#closed ??= this.#engine.close());
  }
}

/**
 * Opens the database, creating it or upgrading its schema if needed and allowed.
 *
 * @throws StoreError with one line for the operator: the problem, and the database
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { keys = EXACT_KEYS } = options;
  let engine: Engine | undefined;
  try {
    engine = openEngine(options);
    await engine.session(async (session) => {
      await (options.mustExist === true ? checkSchema : migrate)(session);
      await refuseMoved(session);
      await checkCollation(session, keys.name, options.mustExist !== true);
    });
    return new Store(engine, keys);
  } catch (error) {
    await engine?.close();
    throw located(error, options.url);
  }
}

/**
 * Inspects a database, including whether it is writable, without creating or changing anything.
 *
 * @throws StoreError like `openStore`, but not for a missing or older schema
 */
export async function inspectStore(options: Omit<StoreOptions, 'mustExist'>): Promise<StoreInspection> {
  let engine: Engine | undefined;
  try {
    engine = openEngine({ ...options, mustExist: true });
    return await inspectEngine(engine, options.keys);
  } catch (error) {
    throw located(error, options.url);
  } finally {
    await engine?.close();
  }
}
