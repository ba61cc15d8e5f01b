import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { errorWord } from '../../support/errors';
import { cannotRead, IrregularFileError, openToRead, type RegularFile } from '../../support/regular-file';
import { isBookName, type Sheet } from './book';
import { ERRORS_FILE } from './errors-file';
import { CSV_FILE_NAMES, CSV_FILES, type CsvFile, FolderError, type ImportMap } from './csv-files';
import { foldName } from './fold-name';
import type { LeftOut } from './import-report';

/** Matches the names of tables, but no temporary file of a spreadsheet that has a table open. */
const TABLE_NAME = /^(?![.~]).*\.(?:csv|tsv|xls[xmb]?|xlt[xm]?|ods|fods|numbers)$/i;
/** Matches the names of tables in formats that are not read. */
const OTHER_FORMAT = /\.(?:tsv|xls[mb]?|xlt[xm]?|ods|fods|numbers)$/i;
/** Matches the names of files that a spreadsheet creates while it has a workbook open. */
const LOCK_NAME = /^(?:~\$|\.~lock\.)/;

/** Returns true for a file that an import of its folder reads or reports as a table. */
export function isTable(name: string): boolean {
  return TABLE_NAME.test(name) && name !== ERRORS_FILE;
}

export interface FoundFiles {
  /** Names of files or sheets, in loading order. */
  readonly found: ReadonlyMap<CsvFile, string>;
  readonly leftOut: readonly LeftOut[];
}

/** @throws FolderError when nothing is found, a file is there twice, or the map names one that is missing */
export function findInFolder(folder: string, map: ImportMap, otherFiles: readonly string[]): FoundFiles {
  const names = namesIn(folder).toSorted();
  const found = findFiles(folder, names, map, ({ file }) => {
    const mapped = map[file]?.file;
    return mapped === undefined ? [file, `${withoutEnding(file)}.xlsx`] : [mapped];
  });
  const used = [...found.values(), ...otherFiles, ERRORS_FILE];
  const leftOut = names
    .filter((name) => !used.includes(name))
    .map((name): LeftOut => {
      if (LOCK_NAME.test(name)) return { name, reason: 'lock', isTable: false };
      const reason = OTHER_FORMAT.test(name) ? 'format' : isTable(name) ? 'unknown' : 'other';
      // A file such as students.txt was probably meant as one of the tables.
      return { name, reason, isTable: isTable(name) || isNameOfTable(name) };
    });
  return { found, leftOut };
}

/** @throws FolderError when nothing is found, a sheet is there twice, or the map names one that is missing */
export function findInBook(path: string, sheets: readonly Sheet[], map: ImportMap): FoundFiles {
  const names = sheets.filter(({ kind }) => kind === 'table').map(({ name }) => name);
  const found = findFiles(path, names, map, ({ file }) => [withoutEnding(map[file]?.file ?? file)]);
  const used = [...found.values()];
  const others = sheets.filter(({ name, kind }) => kind !== 'table' || !used.includes(name));
  return { found, leftOut: others.map((sheet) => leftOutSheet(sheet)) };
}

/** @param workbook - name of the file, if it contains one table only */
export function leftOutSheet({ name, kind }: Sheet, workbook?: string): LeftOut {
  const reason = kind === 'table' ? 'unknown' : kind === 'hidden' ? 'hidden' : 'no-table';
  // Of a workbook with one table, further sheets are often notes.
  const isTableLike = workbook === undefined && kind === 'table';
  const isTable = isTableLike || (kind !== 'other' && isNameOfTable(name));
  return { name: workbook === undefined ? name : `${workbook}: ${name}`, reason, isTable };
}

/** Returns true for the name of one of the tables, with any ending or none. */
function isNameOfTable(name: string): boolean {
  const stem = foldName(name.replace(/\.[^.]*$/, ''));
  return CSV_FILE_NAMES.some((file) => foldName(withoutEnding(file)) === stem);
}

/**
 * Finds the files of an import among names, whose case does not matter.
 *
 * @param wanted - returns the names that a file may have
 * @throws FolderError when nothing is found, a file is there twice, or the map names one that is missing
 */
function findFiles(
  folder: string,
  names: readonly string[],
  map: ImportMap,
  wanted: (file: CsvFile) => readonly string[],
): ReadonlyMap<CsvFile, string> {
  const found = new Map<CsvFile, string>();
  for (const file of CSV_FILES) {
    const mapped = map[file.file]?.file;
    const accepted = wanted(file).map(foldName);
    const [name, other] = names.filter((each) => accepted.includes(foldName(each)));
    if (name !== undefined && other !== undefined) {
      throw new FolderError(`${folder} contains ${name} and ${other}. Keep only one of them.`);
    }
    if (name !== undefined) found.set(file, name);
    else if (mapped !== undefined) {
      throw new FolderError(`${folder} does not contain ${mapped}, which the map names for ${file.file}.`);
    }
  }
  if (found.size > 0) return found;
  const workbook = names.find((name) => /\.xlsx$/i.test(name));
  const remedy =
    workbook === undefined ? '' : ` A workbook with all tables is named itself: ${join(folder, workbook)}.`;
  throw new FolderError(
    `${folder} contains no import files. Expected at least one of: ${CSV_FILE_NAMES.join(', ')}.${remedy}`,
  );
}

export function withoutEnding(name: string): string {
  return name.replace(/\.(?:csv|xlsx)$/i, '');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new FolderError(`Cannot read the folder ${folder} (${errorWord(error)}).`, {
      cause: error,
    });
  }
}

/**
 * Opens a file of the import. A pipe would block it forever, and a link could reveal the first line of a
 * foreign file in an error; either may take the place of a file at any moment.
 *
 * @throws FolderError for anything but a regular file
 */
export async function openSource(path: string): Promise<RegularFile> {
  try {
    return await openToRead(path);
  } catch (cause) {
    if (!(cause instanceof IrregularFileError)) throw new FolderError(cannotRead(path, cause), { cause });
    const advice = cause.code === 'is a link' ? ' Copy the file itself into the folder.' : '';
    throw new FolderError(`${path} ${cause.code}.${advice}`, { cause });
  }
}

/** Returns true for a workbook, and false for a folder. @throws FolderError for a file in another format */
export function isBook(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return false;
  if (OTHER_FORMAT.test(path)) throw new FolderError(`${path} is not an .xlsx workbook. Save it as .xlsx.`);
  return isBookName(path);
}
