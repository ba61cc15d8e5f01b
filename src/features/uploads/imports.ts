import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join, sep } from 'node:path';

import type { Config } from '../../config';
import {
  CSV_FILE_NAMES,
  DATE_ORDERS,
  ENCODINGS,
  type ImportProgress,
  type ImportReport,
  mapNamesFile,
  type Store,
  StoreError,
  type UndoReport,
} from '../../store';
import { PROGRAM, runProgram } from '../../service/run-program';
import { errorMessage, errorWord } from '../../support/errors';
import type { Text } from '../../admin/texts/words';
import type { Sentence } from '../../support/phrase';
import { makePrivateFolder } from '../../support/private-files';
import { gone, ImportRefused, MAP_FILE, receive, type UploadForm } from './upload-form';

/** Maximum size of the files of an upload together, in bytes. */
export const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;
/** Time until an upload that its user does not confirm is removed. */
const KEEP_MS = 30 * 60_000;
/** Time after which another node may import if this one has ended without a word. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;

/** Runs the command `import` in a process of its own. */
type ImportRun = (
  args: readonly string[],
  options: {
    /** Name for the record of the import. */
    readonly who: string;
    readonly signal: AbortSignal;
    /** Receives what the command reports: its progress, and at the end its report. */
    readonly onMessage: (message: unknown) => void;
  },
) => Promise<{ readonly problem: string }>;

/** Returns a function that runs the command for a user of the console. */
export function importRunner(config: Config, program = PROGRAM): ImportRun {
  return (args, options) => runProgram(program, config, ['import', ...args], options);
}

/** An upload, and what became of it. */
export interface ConsoleImport {
  readonly id: string;
  readonly who: string;
  /** When this step began, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** `checked` waits for its user; `refused`: no file can be loaded; `failed`: the command could not run. */
  readonly step:
    | ('uploading' | 'checking' | 'checked' | 'refused' | 'importing' | 'imported' | 'failed')
    | ('undoing' | 'undone');
  readonly progress?: ImportProgress;
  readonly report?: ImportReport;
  /** Counts of an undo. */
  readonly undo?: UndoReport;
  /** Why it failed. */
  readonly problem?: Sentence<Text>;
}

/** Returns true while rows are written, which cannot be cancelled. */
export const isWriting = ({ step }: ConsoleImport): boolean => step === 'importing' || step === 'undoing';

export interface ConsoleImportsOptions {
  readonly store: Pick<Store, 'imports' | 'undoImport'>;
  readonly run: ImportRun;
  /** Folder of its own for uploads; emptied at the start. */
  readonly folder: string;
  readonly node: string;
  readonly maxBytes?: number;
}

/** Imports of the console, one at a time on all nodes. The command `import` does the work. */
export class ConsoleImports {
  readonly #options: ConsoleImportsOptions;
  #current: ConsoleImport | undefined;
  /** Arguments of the command for the files that are kept. */
  #args: readonly string[] = [];
  #working = new AbortController();
  #renewal: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: ConsoleImportsOptions) {
    this.#options = options;
    this.#removeFiles();
  }

  /** Returns the last import of this node; undefined if there was none since the start. */
  get current(): ConsoleImport | undefined {
    return this.#current;
  }

  /** True while an upload is in progress, or waits for its user, and during an undo. */
  get isBusy(): boolean {
    return !['refused', 'imported', 'undone', 'failed', undefined].includes(this.#current?.step);
  }

  /**
   * Receives the files and options of a form, and begins to check them. Until its token has arrived, the form
   * blocks no other upload.
   *
   * @param isToken - returns true for the token of the user's pages; it precedes the files
   * @throws ImportRefused
   */
  async upload(request: IncomingMessage, who: string, isToken: (token: string) => boolean): Promise<void> {
    const { folder, maxBytes = MAX_UPLOAD_BYTES } = this.#options;
    this.#refuseSecond();
    const id = randomBytes(12).toString('hex');
    const place = join(folder, id);
    let begun: Promise<AbortSignal> | undefined;
    const begin = (): Promise<AbortSignal> => (begun = this.#begin(id, who, place));
    const previous = this.#current;
    try {
      const form = await receive(request, { place, isToken, begin, maxBytes });
      this.#args = argumentsOf(form, place);
    } catch (error) {
      const text = 'Cannot store the upload ({error}).';
      const other = new ImportRefused(500, { text, values: { error: errorWord(error) } });
      const refusal = error instanceof ImportRefused ? error : other;
      // What it has claimed is released below.
      await begun?.catch(() => undefined);
      if (this.#current?.id === id) {
        // A browser that is still sending may not read the answer: the page shows it, too.
        this.#current =
          refusal.status === 409
            ? previous
            : { id, who, at: Date.now(), step: 'failed', problem: refusal.sentence };
        await this.#end();
      }
      throw refusal;
    }
    void this.#run('checking', ['--dry-run']);
  }

  /** @throws ImportRefused while there is another upload, or an undo */
  #refuseSecond(): void {
    if (this.#current !== undefined && this.isBusy) throw busy(this.#current.who);
  }

  /**
   * Makes an upload the current one, on all nodes.
   *
   * @returns the signal that ends it
   * @throws ImportRefused
   */
  async #begin(id: string, who: string, place: string): Promise<AbortSignal> {
    this.#refuseSecond();
    this.#current = { id, who, at: Date.now(), step: 'uploading' };
    this.#working = new AbortController();
    const { signal } = this.#working;
    await this.#claim(who);
    if (signal.aborted) {
      await this.#letGo();
      throw gone();
    }
    makePrivateFolder(place);
    return signal;
  }

  /**
   * Keeps others from importing, on all nodes, until `#letGo` is called.
   *
   * @throws ImportRefused while another imports
   */
  async #claim(who: string): Promise<void> {
    const { store, node } = this.#options;
    const claim = () => store.imports.claim({ node, who }, Date.now(), LEASE_MS);
    const holder = await claim();
    if (holder !== undefined) throw busy(holder.who, holder.node);
    // If the database fails, so does the import.
    this.#renewal = setInterval(() => void claim().catch(() => undefined), RENEW_MS).unref();
  }

  async #letGo(): Promise<void> {
    if (this.#renewal === undefined) return;
    clearInterval(this.#renewal);
    this.#renewal = undefined;
    // If this fails, the claim ends by itself.
    const { store, node } = this.#options;
    await store.imports.release(node).catch(() => undefined);
  }

  /**
   * Begins the import of checked files.
   *
   * @param removesMuch - the user agrees that more than a fifth of a table is deleted
   * @param isChecked - the user says that what looks wrong is right
   * @throws ImportRefused
   */
  confirm(id: string, who: string, removesMuch: boolean, isChecked: boolean): void {
    if (this.#current?.id !== id || this.#current.step !== 'checked') throw gone();
    if (this.#current.who !== who) throw busy(this.#current.who);
    if (this.#current.report?.removesTooMuch === true && !removesMuch)
      throw new ImportRefused(400, 'Tick the box to delete more than a fifth of a table.');
    if ((this.#current.report?.questions ?? []).length > 0 && !isChecked)
      throw new ImportRefused(400, 'Tick the box to confirm what looks wrong.');
    void this.#run('importing', removesMuch ? ['--yes'] : []);
  }

  /**
   * Takes the last import back.
   *
   * @throws ImportRefused while there is another, and if it cannot be undone
   */
  async undo(who: string): Promise<UndoReport> {
    this.#refuseSecond();
    const previous = this.#current;
    this.#current = { id: '', who, at: Date.now(), step: 'undoing' };
    try {
      const undo = await this.#undo(who);
      this.#current = { id: '', who, at: Date.now(), step: 'undone', undo };
      return undo;
    } catch (error) {
      this.#current = previous;
      throw error;
    }
  }

  async #undo(who: string): Promise<UndoReport> {
    await this.#claim(who);
    try {
      return await this.#options.store.undoImport();
    } catch (error) {
      throw error instanceof StoreError ? new ImportRefused(409, { line: error.message }) : error;
    } finally {
      await this.#letGo();
    }
  }

  /** Cancels an import that has not begun to write, and removes its files; any operator may. */
  async cancel(id: string): Promise<void> {
    if (this.#current?.id !== id) return;
    if (isWriting(this.#current)) throw busy(this.#current.who);
    this.#current = undefined;
    this.#working.abort();
    await this.#end();
  }

  /** Ends the import in progress, and removes the files. An undo goes on, and keeps others out meanwhile. */
  async stop(): Promise<void> {
    this.#working.abort();
    if (this.#current?.step !== 'undoing') await this.#end();
  }

  /** Runs the command on the files, and keeps what it reports. Does not throw. */
  async #run(step: 'checking' | 'importing', more: readonly string[]): Promise<void> {
    const { run, folder } = this.#options;
    const { id = '', who = '' } = this.#current ?? {};
    const { signal } = this.#working;
    clearTimeout(this.#expiry);
    const begun = Date.now();
    const show = (change: Partial<ConsoleImport> & Pick<ConsoleImport, 'step'>, at = Date.now()): void => {
      if (!signal.aborted) this.#current = { id, who, at, ...change };
    };
    show({ step }, begun);
    let report: ImportReport | undefined;
    let problem: string;
    try {
      const onMessage = (message: unknown): void => {
        // The command of this program sends these two.
        const reported = message as { readonly progress?: ImportProgress; readonly report?: ImportReport };
        report = reported.report ?? report;
        if (reported.progress !== undefined) show({ step, progress: reported.progress }, begun);
      };
      ({ problem } = await run([...this.#args, ...more], { who, signal, onMessage }));
    } catch (error) {
      problem = errorMessage(error);
    }
    if (signal.aborted) return;
    if (report === undefined) {
      const place = join(folder, id);
      const text = problem.replaceAll(place + sep, '').replaceAll(place, 'The upload');
      const unexpected = 'The import ended unexpectedly. See the service’s log.';
      show({ step: 'failed', problem: text === '' ? unexpected : { line: text } });
    } else {
      const [outcome, next] =
        step === 'importing' ? (['loaded', 'imported'] as const) : (['checked', 'checked'] as const);
      show({ step: report.files.some((file) => file.outcome === outcome) ? next : 'refused', report });
    }
    if (this.#current?.step !== 'checked') await this.#end();
    else this.#expiry = setTimeout(() => void this.cancel(id).catch(() => undefined), KEEP_MS).unref();
  }

  /** Removes the files, and lets others import. */
  async #end(): Promise<void> {
    clearTimeout(this.#expiry);
    this.#removeFiles();
    await this.#letGo();
  }

  #removeFiles(): void {
    rmSync(this.#options.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function busy(who: string, node = ''): ImportRefused {
  const text = '{who} is importing. Wait until that has ended.';
  return new ImportRefused(409, { text, values: { who: node === '' ? who : `${who} (${node})` } });
}

/** @throws ImportRefused without files, or for an unknown option */
function argumentsOf({ fields, files }: UploadForm, folder: string): readonly string[] {
  const tables = files.filter((name) => name !== MAP_FILE);
  const [first, ...others] = tables;
  if (first === undefined) throw new ImportRefused(400, 'Choose the files to import.');
  const hasMap = files.includes(MAP_FILE);
  const map = hasMap ? readFileSync(join(folder, MAP_FILE), 'utf8') : '';
  const isOfOneTable =
    CSV_FILE_NAMES.includes(first.toLowerCase().replace(/xlsx$/, 'csv')) || mapNamesFile(map, first);
  const isBook = others.length === 0 && /\.xlsx$/i.test(first) && !isOfOneTable;
  const choice = (field: string, option: string, values: readonly string[]): readonly string[] => {
    const value = fields.get(field) ?? '';
    if (value === '') return [];
    if (!values.includes(value)) throw new ImportRefused(400, 'Invalid request.');
    return [option, value];
  };
  return [
    isBook ? join(folder, first) : folder,
    ...(hasMap ? ['--map', join(folder, MAP_FILE)] : []),
    ...choice('encoding', '--encoding', ENCODINGS),
    ...choice('date-order', '--date-order', DATE_ORDERS),
    ...(fields.has('ignore-extra-columns') ? ['--ignore-extra-columns'] : []),
    ...(fields.has('replace') ? ['--replace'] : []),
  ];
}
