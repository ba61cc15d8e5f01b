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
 * Reads and checks all CSV files of a folder, then loads each in one transaction. A file with an error is not loaded at
 * all, nor are files that refer to it; with `replace`, no file is loaded then.
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
  for (const file of files) await fileImport.stage(file, regularFile(folder, file.file));

  const replaces = options.replace !== undefined;
  const isSound = files.every((file) => fileImport.errorsOf(file) === 0);
  const removals = replaces && isSound ? await findAbsent(session.kysely, files) : [];
  const removesTooMuch = options.replace === 'small parts' && isTooMuch(removals);
  const held = new Set<string>();
  const reports: FileReport[] = [];
  for (const file of files) {
    const isHeld =
      fileImport.errorsOf(file) > 0 || file.references.some((reference) => held.has(reference.file));
    if (isHeld) held.add(file.file);
    reports.push(await fileImport.merge(file, !isHeld && !removesTooMuch && (isSound || !replaces)));
  }
  if (removals.length > 0 && !removesTooMuch && options.dryRun !== true) {
    await removeAbsent(session, removals, Date.now());
  }
  return {
    files: reports,
    problems: fileImport.problems.slice(0, MAX_PROBLEMS),
    problemCount: reports.reduce((sum, { errors }) => sum + errors, 0),
    unknownFiles: names.filter((name) => !CSV_FILES.some(({ file }) => file === name)),
    removals,
    removesTooMuch,
  };
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

/** Loads files on one session, which keeps staged rows: later files refer to them. */
class FileImport {
  readonly #session: Session;
  readonly #dryRun: boolean;
  readonly #isWholeTruth: boolean;
  readonly #onProgress: (progress: ImportProgress) => void;
  readonly #staged: CsvFile[] = [];
  /** Names of files with rows that are not staged, so that references to them cannot be checked. */
  readonly #incomplete = new Set<string>();
  readonly #errors = new Map<CsvFile, number>();
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

  errorsOf(file: CsvFile): number {
    return this.#errors.get(file) ?? 0;
  }

  /** Stages a file and checks it. */
  async stage(file: CsvFile, path: string): Promise<void> {
    const { kysely } = this.#session;
    const problems = new ProblemList();
    await createStagingTable(this.#session, file);
    const isWhole = await stageFile(this.#session, file, path, problems, (progress) => {
      this.#last.set(file, progress);
      this.#onProgress(progress);
    });
    if (!isWhole) this.#incomplete.add(file.file);
    this.#tell(file, 'checking');
    await indexStagingTable(kysely, file);
    const references = file.references.filter((reference) => !this.#incomplete.has(reference.file));
    await checkStaged(kysely, file, references, this.#staged, problems, this.#isWholeTruth);
    this.#staged.push(file);
    this.#errors.set(file, problems.count);
    this.#problems.push(...problems.first);
  }

  /** Compares a file with the database and, if it may, writes its new and changed rows. */
  async merge(file: CsvFile, mayWrite: boolean): Promise<FileReport> {
    const errors = this.errorsOf(file);
    if (errors > 0) {
      return { file: file.file, outcome: 'refused', newRows: 0, changedRows: 0, unchangedRows: 0, errors };
    }
    const { newRows, changedRows } = await compareStaged(this.#session.kysely, file);
    const writes = mayWrite && !this.#dryRun;
    if (writes && newRows + changedRows > 0) {
      this.#tell(file, 'writing');
      await mergeChanges(this.#session, file, Date.now());
    }
    const unchangedRows = (this.#last.get(file)?.rows ?? 0) - newRows - changedRows;
    const outcome = writes ? 'loaded' : 'checked';
    return { file: file.file, outcome, newRows, changedRows, unchangedRows, errors };
  }

  #tell(file: CsvFile, step: ImportProgress['step']): void {
    const last = this.#last.get(file);
    if (last !== undefined) this.#onProgress({ ...last, step });
  }
}
