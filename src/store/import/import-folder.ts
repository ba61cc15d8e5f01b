import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { CSV_FILES, type CsvFile } from '../csv/csv-files';
import { FolderError, reasonOf } from '../csv/folder-error';
import type { Session } from '../engine';
import { checkStaged } from './check-staged';
import { compareStaged } from './compare-staged';
import {
  type FileReport,
  type ImportProgress,
  type ImportReport,
  MOST_PROBLEMS,
  type Problem,
} from './import-report';
import { mergeChanges } from './merge-changes';
import { ProblemList } from './problem-list';
import { stageFile } from './stage-file';
import { createStagingTable, indexStagingTable } from './staging-tables';

export interface ImportOptions {
  /** Checks only, and writes nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

const NOTHING = { newRows: 0, changedRows: 0, unchangedRows: 0, refusedRows: 0 };

/**
 * Loads the CSV files of a folder, those that are there, each in one transaction. A file with a bad row is
 * not loaded at all, nor are those that refer to it.
 *
 * @throws FolderError when there is nothing to load, StoreError when the database fails (the files before
 *   that are loaded)
 */
export async function importFolder(
  session: Session,
  folder: string,
  { dryRun = false, onProgress = () => undefined }: ImportOptions,
): Promise<ImportReport> {
  const names = csvNames(folder);
  const files = CSV_FILES.filter(({ file }) => names.includes(file));
  if (files.length === 0) {
    const wanted = CSV_FILES.map(({ file }) => file).join(', ');
    throw new FolderError(`${folder} holds none of the files that can be imported: ${wanted}.`);
  }
  for (const file of CSV_FILES) await createStagingTable(session, file);

  const reports: FileReport[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const list = new ProblemList();
    const notLoaded = reports.filter(({ outcome }) => outcome === 'refused' || outcome === 'skipped');
    const report = file.references.some((reference) =>
      notLoaded.some((other) => other.file === reference.file),
    )
      ? ({ file: file.file, outcome: 'skipped', ...NOTHING } as const)
      : await importFile(session, file, join(folder, file.file), list, dryRun, onProgress);
    reports.push(report);
    problems.push(...list.first);
  }
  return {
    files: reports,
    problems: problems.slice(0, MOST_PROBLEMS),
    problemCount: reports.reduce((sum, { refusedRows }) => sum + refusedRows, 0),
    unknownFiles: names.filter((name) => !CSV_FILES.some(({ file }) => file === name)),
  };
}

async function importFile(
  session: Session,
  file: CsvFile,
  path: string,
  problems: ProblemList,
  dryRun: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<FileReport> {
  let last: ImportProgress | undefined;
  const rows = await stageFile(session, file, path, problems, (progress) => {
    last = progress;
    onProgress(progress);
  });
  const tell = (step: ImportProgress['step']): void => {
    if (last !== undefined) onProgress({ ...last, step });
  };
  tell('checking');
  await indexStagingTable(session.kysely, file);
  await checkStaged(session.kysely, file, problems);
  if (problems.count > 0) {
    return { file: file.file, outcome: 'refused', ...NOTHING, refusedRows: problems.count };
  }
  const { newRows, changedRows } = await compareStaged(session.kysely, file);
  if (!dryRun && newRows + changedRows > 0) {
    tell('writing');
    await mergeChanges(session, file, Date.now());
  }
  const unchangedRows = rows - newRows - changedRows;
  const outcome = dryRun ? 'checked' : 'loaded';
  return { file: file.file, outcome, newRows, changedRows, unchangedRows, refusedRows: 0 };
}

function csvNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.csv'));
  } catch (error) {
    throw new FolderError(`The folder ${folder} cannot be read (${reasonOf(error)}).`, { cause: error });
  }
}
