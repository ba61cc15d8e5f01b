import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { systemErrorCode } from '../../errors';
import type { Session } from '../engine';
import { checkStaged } from './check-staged';
import { CSV_FILES, type CsvFile, FolderError } from './csv-files';
import {
  type FileReport,
  type ImportProgress,
  type ImportReport,
  MOST_PROBLEMS,
  type Problem,
  ProblemList,
} from './import-report';
import { compareStaged, mergeChanges } from './merge-changes';
import { stageFile } from './stage-file';
import { createStagingTable, indexStagingTable } from './staging-tables';

export interface ImportOptions {
  /** Checks only, and writes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Loads the CSV files of a folder, those that are there, each in one transaction. A file with a bad row is
 * not loaded at all, nor are those that refer to it.
 *
 * @throws FolderError when there is nothing to load or a file cannot be read, StoreError when the database
 *   fails (the files before that are loaded)
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
    throw new FolderError(`${folder} holds none of the files that can be imported: ${wanted}.`);
  }

  const fileImport = new FileImport(session, options);
  const reports: FileReport[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const notLoaded = reports.filter(({ outcome }) => outcome === 'refused' || outcome === 'skipped');
    const names = notLoaded.map((report) => report.file);
    if (file.references.some((reference) => names.includes(reference.file))) {
      reports.push(fileImport.skip(file));
    } else {
      const list = new ProblemList();
      reports.push(await fileImport.run(file, join(folder, file.file), list));
      problems.push(...list.first);
    }
  }
  return {
    files: reports,
    problems: problems.slice(0, MOST_PROBLEMS),
    problemCount: reports.reduce((sum, { refusedRows }) => sum + refusedRows, 0),
    unknownFiles: names.filter((name) => !CSV_FILES.some(({ file }) => file === name)),
  };
}

function csvNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.csv'));
  } catch (error) {
    throw new FolderError(`The folder ${folder} cannot be read (${systemErrorCode(error) ?? 'failed'}).`, {
      cause: error,
    });
  }
}

const NOTHING = { newRows: 0, changedRows: 0, unchangedRows: 0, refusedRows: 0 };

/** Loads one file after the other on one session, which keeps what was staged: later files refer to it. */
class FileImport {
  readonly #session: Session;
  readonly #dryRun: boolean;
  readonly #onProgress: (progress: ImportProgress) => void;
  readonly #staged: CsvFile[] = [];

  constructor(session: Session, { dryRun = false, onProgress = () => undefined }: ImportOptions) {
    this.#session = session;
    this.#dryRun = dryRun;
    this.#onProgress = onProgress;
  }

  /** Stages a file, checks it, and writes what is new or changed, unless there are problems. */
  async run(file: CsvFile, path: string, problems: ProblemList): Promise<FileReport> {
    const { kysely } = this.#session;
    await createStagingTable(this.#session, file);
    let last: ImportProgress | undefined;
    const rows = await stageFile(this.#session, file, path, problems, (progress) => {
      last = progress;
      this.#onProgress(progress);
    });
    const tell = (step: ImportProgress['step']): void => {
      if (last !== undefined) this.#onProgress({ ...last, step });
    };

    tell('checking');
    await indexStagingTable(kysely, file);
    await checkStaged(kysely, file, this.#staged, problems);
    this.#staged.push(file);
    if (problems.count > 0) {
      return { ...NOTHING, file: file.file, outcome: 'refused', refusedRows: problems.count };
    }

    const { newRows, changedRows } = await compareStaged(kysely, file);
    if (!this.#dryRun && newRows + changedRows > 0) {
      tell('writing');
      await mergeChanges(this.#session, file, Date.now());
    }
    const outcome = this.#dryRun ? 'checked' : 'loaded';
    const unchangedRows = rows - newRows - changedRows;
    return { file: file.file, outcome, newRows, changedRows, unchangedRows, refusedRows: 0 };
  }

  /** Leaves out a file that refers to one that was not loaded. */
  skip(file: CsvFile): FileReport {
    return { ...NOTHING, file: file.file, outcome: 'skipped' };
  }
}
