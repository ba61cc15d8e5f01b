/** Exports what a feature needs that reads workbooks, and how an import uses it. */
import { FEATURE_BOOKS } from '../../features/feature';
import type { RegularFile } from '../../support/regular-file';
import { FolderError } from './csv-files';
import type { CsvRecord } from './read-csv';

export { BadCell, SheetMoment, spreadsheetError } from './cell-kinds';
export { FolderError } from './csv-files';
export { foldName } from './fold-name';
export { type CsvRecord, CsvSyntaxError } from './read-csv';

/** Sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  /** Only a visible `table` is read; the others are sheets that a person does not see, charts, and macros. */
  readonly kind: 'table' | 'hidden' | 'other';
}

/** Reads .xlsx workbooks. */
export interface BookReader {
  /**
   * Reads a sheet row by row: the only one that a person sees, or the one with a name.
   *
   * @param sheetName - in any case
   * @param onSheet - receives the sheet that is read, and the others
   * @throws CsvSyntaxError for an invalid workbook, FolderError if it cannot be read
   */
  readonly readRows: (
    file: RegularFile,
    sheetName: string,
    onSheet: (sheet: Sheet, others: readonly Sheet[]) => void,
  ) => AsyncIterable<CsvRecord>;
  /** @throws FolderError if the workbook is invalid or cannot be read */
  readonly readSheets: (file: RegularFile) => Promise<readonly Sheet[]>;
  /** Returns the name of a cell as formulas have it. @param column - counted from 0 */
  readonly cellName: (sheet: string, line: number, column: number) => string;
}

/** Returns true for the name of a workbook, of the format that a feature may read. */
export function isBookName(path: string): boolean {
  return path.toLowerCase().endsWith('.xlsx');
}

/** Loads the reader of a workbook. @throws FolderError if no feature reads it */
export async function bookReader(path: string): Promise<BookReader> {
  if (FEATURE_BOOKS !== undefined) return FEATURE_BOOKS.load();
  throw new FolderError(`${path}: this installation reads only CSV files. Save each sheet as .csv.`);
}
