import { join } from 'node:path';

import type { KeyCollation } from '../../support/key-collation';
import type { RegularFile } from '../../support/regular-file';
import type { DatabaseSession } from '../engine/engine';
import { bookReader } from './book';
import type { CsvFile, ImportMap } from './csv-files';
import {
  findInBook,
  findInFolder,
  type FoundFiles,
  isBook,
  leftOutSheet,
  openSource,
  withoutEnding,
} from './find-files';
import {
  type FileReport,
  type ImportProgress,
  type ImportReport,
  type LeftOut,
  MAX_PROBLEMS,
  type Problem,
  ProblemList,
} from './import-report';
import { importQuestions } from './import-questions';
import { UndoRecord } from './import-undo';
import { compareStaged, findAbsent, isTooMuch, mergeChanges, removeAbsent } from './merge-changes';
import { type FileForm, stageFile } from './stage-file';
import { checkStaged, createStagingTable, indexStagingTable, KEY_SEPARATOR } from './staging-tables';
import { summarizeStaged } from './summarize';

export interface ImportOptions extends FileForm {
  /** Only checks, and writes nothing. */
  readonly dryRun?: boolean;
  /** Names of files, columns and values that differ from ours. */
  readonly map?: ImportMap;
  /** Maximum number of changed rows that an undo keeps. */
  readonly maxUndoRows?: number;
  /** Names of files in the folder that are no data, such as the map. */
  readonly otherFiles?: readonly string[];
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Also removes rows that the files lack, for the schools named in the files. If that is a large part of
   * them, nothing is written at all unless this is `even large parts`.
   */
  readonly replace?: 'small parts' | 'even large parts';
}

/**
 * Reads and checks all files of a folder, or all sheets of a workbook, then loads each in one transaction. A
 * file with an error is not loaded, nor are files that refer to it; with `replace`, no file is loaded then.
 *
 * @throws FolderError when there is nothing to load or a file cannot be read, StoreError when the database
 * fails (files loaded before stay loaded)
 */
export async function importFolder(
  session: DatabaseSession,
  folder: string,
  options: ImportOptions,
  keys: KeyCollation,
): Promise<ImportReport> {
  const fileImport = new FileImport(session, options, keys);
  const { found, leftOut: leftOutFiles } = await stageFiles(fileImport, folder, options);
  const leftOut = [...leftOutFiles, ...fileImport.leftOut];
  const files = [...found.keys()];

  const replaces = options.replace !== undefined;
  const isSound =
    !leftOut.some(({ isTable }) => isTable) && files.every((file) => fileImport.errorsOf(file) === 0);
  const summary = await summarizeStaged(session.kysely, files, replaces);
  const sound = files.filter((file) => fileImport.errorsOf(file) === 0);
  const questions = await importQuestions(session, sound, summary);
  const removals = replaces && isSound ? await findAbsent(session.kysely, files) : [];
  const removesTooMuch = options.replace === 'small parts' && isTooMuch(removals);
  const mayWrite = options.dryRun !== true && !removesTooMuch;
  const held = new Set<string>();
  const reports: FileReport[] = [];
  for (const file of files) {
    const isHeld =
      (replaces && !isSound) ||
      fileImport.errorsOf(file) > 0 ||
      file.references.some((reference) => held.has(reference.file));
    if (isHeld) held.add(file.file);
    reports.push(await fileImport.merge(file, isHeld ? 'blocked' : mayWrite ? 'loaded' : 'checked'));
  }
  if (removals.length > 0 && !removesTooMuch && options.dryRun !== true) {
    await removeAbsent(session, removals, fileImport.undo, Date.now());
  }
  return {
    files: reports,
    problems: fileImport.problems.slice(0, MAX_PROBLEMS),
    problemCount: reports.reduce((sum, { errors }) => sum + errors, 0),
    leftOut,
    questions,
    summary,
    removals,
    removesTooMuch,
  };
}

/** Reads all files of a folder, or all sheets of a workbook, into their staging tables. */
async function stageFiles(
  fileImport: FileImport,
  folder: string,
  { map = {}, otherFiles = [] }: ImportOptions,
): Promise<FoundFiles> {
  const book = isBook(folder) ? await openSource(folder) : undefined;
  try {
    const files =
      book === undefined
        ? findInFolder(folder, map, otherFiles)
        : findInBook(folder, await (await bookReader(folder)).readSheets(book), map);
    for (const [file, name] of files.found) {
      const source = book ?? (await openSource(join(folder, name)));
      try {
        await fileImport.stage(file, name, source, book === undefined ? withoutEnding(file.file) : name);
      } finally {
        if (source !== book) await source.handle.close();
      }
    }
    return files;
  } finally {
    await book?.handle.close();
  }
}

/** Loads files on one session, which keeps staged rows: later files refer to them. */
class FileImport {
  readonly #session: DatabaseSession;
  readonly #options: ImportOptions;
  readonly #keys: KeyCollation;
  readonly undo: UndoRecord;
  readonly #staged: CsvFile[] = [];
  /** Names of files with rows that are not staged, so that references to them cannot be checked. */
  readonly #incomplete = new Set<string>();
  readonly #errors = new Map<CsvFile, number>();
  readonly #problems: Problem[] = [];
  readonly #leftOut: LeftOut[] = [];
  /** Latest progress reported for each file. */
  readonly #last = new Map<CsvFile, ImportProgress>();

  constructor(session: DatabaseSession, options: ImportOptions, keys: KeyCollation) {
    this.#session = session;
    this.undo = new UndoRecord(session.engine, options.maxUndoRows);
    this.#options = options;
    this.#keys = keys;
  }

  /** First problems of each file. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Sheets of the files' own workbooks that are not loaded. */
  get leftOut(): readonly LeftOut[] {
    return this.#leftOut;
  }

  errorsOf(file: CsvFile): number {
    return this.#errors.get(file) ?? 0;
  }

  async stage(file: CsvFile, name: string, opened: RegularFile, sheet: string): Promise<void> {
    const { kysely } = this.#session;
    const problems = new ProblemList();
    const map = this.#options.map?.[file.file];
    await createStagingTable(this.#session, file);
    const source = { opened, sheet, map, form: this.#options, keys: this.#keys };
    const staged = await stageFile(this.#session, file, source, problems, (progress) => {
      this.#last.set(file, progress);
      this.#options.onProgress?.(progress);
    });
    if (!staged.isWhole) this.#incomplete.add(file.file);
    if (staged.otherSheets.length > 0 && sheet !== name) {
      this.#leftOut.push(...staged.otherSheets.map((other) => leftOutSheet(other, name)));
    }
    this.#tell(file, 'checking');
    await indexStagingTable(kysely, file);
    const references = file.references.filter((reference) => !this.#incomplete.has(reference.file));
    await checkStaged(kysely, file, references, this.#staged, problems, {
      isWholeTruth: this.#options.replace !== undefined,
      collation: this.#keys.name,
    });
    this.#staged.push(file);
    this.#errors.set(file, problems.count);
    // The report gives the file's own names.
    const ownHeader = (header: string): string => map?.columns?.[header] ?? header;
    for (const problem of problems.first) {
      const column = problem.column.split(KEY_SEPARATOR).map(ownHeader).join(KEY_SEPARATOR);
      const cell = problem.cell ?? staged.cellName(problem.line, problem.column);
      this.#problems.push({ ...problem, file: name, column, ...(cell !== undefined && { cell }) });
    }
  }

  /** Compares a file with the database and, with the outcome `loaded`, writes its new and changed rows. */
  async merge(file: CsvFile, outcome: FileReport['outcome']): Promise<FileReport> {
    const errors = this.errorsOf(file);
    const rows = this.#last.get(file)?.rows ?? 0;
    if (errors > 0) {
      const none = { newRows: 0, changedRows: 0, unchangedRows: 0 };
      return { file: file.file, outcome: 'refused', rows, ...none, errors };
    }
    const { newRows, changedRows } = await compareStaged(this.#session.kysely, file);
    if (outcome === 'loaded' && newRows + changedRows > 0) {
      this.#tell(file, 'writing');
      await mergeChanges(this.#session, file, this.undo, Date.now());
    }
    const unchangedRows = rows - newRows - changedRows;
    return { file: file.file, outcome, rows, newRows, changedRows, unchangedRows, errors };
  }

  #tell(file: CsvFile, step: ImportProgress['step']): void {
    const last = this.#last.get(file);
    if (last !== undefined) this.#options.onProgress?.({ ...last, step });
  }
}
