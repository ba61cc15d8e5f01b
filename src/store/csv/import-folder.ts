import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { systemErrorCode } from '../../errors';
import { CSV_FILES } from './csv-files';
import { FolderError } from './folder-error';
import type { Session } from '../engine/engine';
import { FileImport, type ImportOptions } from './file-import';
import { type FileReport, type ImportReport, MOST_PROBLEMS, type Problem } from './import-report';
import { ProblemList } from './problem-list';

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
