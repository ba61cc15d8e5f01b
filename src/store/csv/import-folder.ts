import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

import { errorWord } from '../../support/errors';
import type { Session } from '../engine/engine';
import { checkStaged, createStagingTable, indexStagingTable } from './staging-tables';
import { CSV_FILES, type CsvFile, FolderError } from './csv-files';
import {
  type FileReport,
  type ImportProgress,
  type ImportReport,
  MAX_PROBLEMS,
  type Problem,
  ProblemList,
  type Removal,
} from './import-report';
import { compareStaged, findAbsent, isTooMuch, mergeChanges, removeAbsent } from './merge-changes';
import { stageFile } from './stage-file';

export interface ImportOptions {
  /** Only checks, and writes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Also removes rows that the files lack, for the schools named in the files. If that is a large part of them, nothing
   * is written at all unless this is `even large parts`.
   */
  readonly replace?: 'small parts' | 'even large parts';
}

/**
 * Loads the CSV files that a folder has, each in one transaction. A file with a bad row is not loaded at all, nor are
 * files that refer to it; with `replace`, no file is loaded then.
 *
 * @throws FolderError when there is nothing to load or a file cannot be read, StoreError when the database fails (files
 * loaded before stay loaded)
 */
export async function importFolder(
  session: Session,
  folder: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const names = csvNames(folder);
  const files = CSV_FILES.filter(({ file }) => names.includes(file));
  if (files.length === 0) {
    const wanted = CSV_FILES.map(({ file }) => file).join(', ');
    throw new FolderError(`${folder} contains no import files. Expected at least one of: ${wanted}.`);
  }

  const fileImport = new FileImport(session, options);
  const place = (file: CsvFile): string => regularFile(folder, file.file);
  const {
    reports,
    removals = [],
    removesTooMuch = false,
  } = options.replace === undefined
    ? { reports: await loadOneByOne(fileImport, files, place) }
    : await replaceAll(fileImport, files, place, options.replace);
  return {
    files: reports,
    problems: fileImport.problems.slice(0, MAX_PROBLEMS),
    problemCount: reports.reduce((sum, { refusedRows }) => sum + refusedRows, 0),
    unknownFiles: names.filter((name) => !CSV_FILES.some(({ file }) => file === name)),
    removals,
    removesTooMuch,
  };
}

async function loadOneByOne(
  fileImport: FileImport,
  files: readonly CsvFile[],
  place: (file: CsvFile) => string,
): Promise<readonly FileReport[]> {
  const reports: FileReport[] = [];
  for (const file of files) {
    const notLoaded = reports.filter(({ outcome }) => outcome === 'refused' || outcome === 'skipped');
    const names = notLoaded.map((report) => report.file);
    if (file.references.some((reference) => names.includes(reference.file))) {
      reports.push(withoutRows(file, 'skipped'));
    } else {
      const staged = await fileImport.stage(file, place(file));
      reports.push(staged ?? (await fileImport.merge(file)));
    }
  }
  return reports;
}

/** Reads all files before writing anything: with one bad file, the set is incomplete. */
async function replaceAll(
  fileImport: FileImport,
  files: readonly CsvFile[],
  place: (file: CsvFile) => string,
  replace: NonNullable<ImportOptions['replace']>,
): Promise<Pick<ImportReport, 'removals' | 'removesTooMuch'> & { readonly reports: readonly FileReport[] }> {
  const reports: FileReport[] = [];
  for (const file of files) {
    reports.push((await fileImport.stage(file, place(file))) ?? withoutRows(file, 'skipped'));
  }
  if (reports.some(({ outcome }) => outcome === 'refused')) {
    return { reports, removals: [], removesTooMuch: false };
  }
  const removals = await fileImport.findAbsent();
  const removesTooMuch = replace === 'small parts' && isTooMuch(removals);
  const merged: FileReport[] = [];
  for (const file of files) merged.push(await fileImport.merge(file, !removesTooMuch));
  if (!removesTooMuch && removals.length > 0) await fileImport.removeAbsent(removals);
  return { reports: merged, removals, removesTooMuch };
}

function csvNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.csv'));
  } catch (error) {
    throw new FolderError(`Cannot read the folder ${folder} (${errorWord(error)}).`, {
      cause: error,
    });
  }
}

/**
 * Returns the path of a file to read. A pipe would block the import forever, and a link to a file outside could reveal
 * that file's first line in an error.
 *
 * @throws FolderError for anything but a regular file of the folder
 */
function regularFile(folder: string, name: string): string {
  const path = join(folder, name);
  let isInside: boolean;
  let isFile: boolean;
  let real: string;
  try {
    real = realpathSync(path);
    isInside = real.startsWith(join(realpathSync(folder), sep));
    isFile = statSync(real).isFile();
  } catch (error) {
    throw new FolderError(`Cannot read ${path} (${errorWord(error)}).`, { cause: error });
  }
  if (!isInside) {
    throw new FolderError(`${path} is a link to a file outside the folder. Copy that file into the folder.`);
  }
  if (!isFile) throw new FolderError(`${path} is not a regular file.`);
  return real;
}

const NOTHING = { newRows: 0, changedRows: 0, unchangedRows: 0, refusedRows: 0 };

/** Reports a file that was not loaded. */
function withoutRows(file: CsvFile, outcome: FileReport['outcome']): FileReport {
  return { ...NOTHING, file: file.file, outcome };
}

/** Loads files on one session, which keeps staged rows: later files refer to them. */
class FileImport {
  readonly #session: Session;
  readonly #dryRun: boolean;
  readonly #isWholeTruth: boolean;
  readonly #onProgress: (progress: ImportProgress) => void;
  readonly #staged: CsvFile[] = [];
  readonly #problems: Problem[] = [];
  /** Latest progress reported for each file. */
  readonly #last = new Map<CsvFile, ImportProgress>();

  constructor(session: Session, { dryRun = false, replace, onProgress = () => undefined }: ImportOptions) {
    this.#session = session;
    this.#dryRun = dryRun;
    this.#isWholeTruth = replace !== undefined;
    this.#onProgress = onProgress;
  }

  /** First problems of each file. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /**
   * Stages a file and checks it.
   *
   * @returns the report if it cannot be loaded
   */
  async stage(file: CsvFile, path: string): Promise<FileReport | undefined> {
    const { kysely } = this.#session;
    const problems = new ProblemList();
    await createStagingTable(this.#session, file);
    await stageFile(this.#session, file, path, problems, (progress) => {
      this.#last.set(file, progress);
      this.#onProgress(progress);
    });
    this.#tell(file, 'checking');
    await indexStagingTable(kysely, file);
    await checkStaged(kysely, file, this.#staged, problems, this.#isWholeTruth);
    this.#staged.push(file);
    this.#problems.push(...problems.first);
    return problems.count === 0
      ? undefined
      : { ...withoutRows(file, 'refused'), refusedRows: problems.count };
  }

  /** Writes the new and changed rows of a file that was staged without problems. */
  async merge(file: CsvFile, mayWrite = true): Promise<FileReport> {
    const { newRows, changedRows } = await compareStaged(this.#session.kysely, file);
    const writes = mayWrite && !this.#dryRun;
    if (writes && newRows + changedRows > 0) {
      this.#tell(file, 'writing');
      await mergeChanges(this.#session, file, Date.now());
    }
    const unchangedRows = (this.#last.get(file)?.rows ?? 0) - newRows - changedRows;
    const outcome = writes ? 'loaded' : 'checked';
    return { ...withoutRows(file, outcome), newRows, changedRows, unchangedRows };
  }

  findAbsent(): Promise<readonly Removal[]> {
    return findAbsent(this.#session.kysely, this.#staged);
  }

  async removeAbsent(removals: readonly Removal[]): Promise<void> {
    if (!this.#dryRun) await removeAbsent(this.#session, removals, Date.now());
  }

  #tell(file: CsvFile, step: ImportProgress['step']): void {
    const last = this.#last.get(file);
    if (last !== undefined) this.#onProgress({ ...last, step });
  }
}
