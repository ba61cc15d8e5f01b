import { cannotRead, type RegularFile } from '../../support/regular-file';
import {
  type BookReader,
  type CsvRecord,
  CsvSyntaxError,
  foldName,
  FolderError,
  type Sheet,
} from '../../store/csv/book';
import { cellName } from './cell-name';
import { type BookSheet, cellFormats, openWorkbook, sharedTexts, type Workbook } from './xlsx-book';
import { UNSOUND } from './xlsx-parts';
import { MergedAreas, MergeReader, type SheetCell, SheetReader } from './xlsx-sheet';

/** Maximum size of a sheet, in bytes of XML; it is read piece by piece. */
const MAX_SHEET_BYTES = 1024 * 1024 * 1024;

/**
 * Reads a sheet of an .xlsx workbook row by row: the only one that a person sees, or the one with a name.
 * Rows without anything in their cells are skipped.
 *
 * @param sheetName - in any case
 * @param onSheet - receives the sheet that is read, and the others
 * @throws CsvSyntaxError for an invalid workbook, FolderError if it cannot be read
 */
export async function* readXlsx(
  file: RegularFile,
  sheetName: string,
  onSheet: (sheet: Sheet, others: readonly Sheet[]) => void = () => undefined,
): AsyncGenerator<CsvRecord> {
  let workbook: Workbook | undefined;
  let line = 1;
  try {
    workbook = await openWorkbook(file);
    const { parts, sheets, isFrom1904 } = workbook;
    const sheet = findSheet(sheets, sheetName);
    onSheet(
      sheet,
      sheets.filter((each) => each !== sheet),
    );
    const book = { texts: await sharedTexts(workbook), formats: await cellFormats(workbook), isFrom1904 };
    const reader = new SheetReader(book);
    const merged = new MergedAreas(await mergedAreas(workbook, sheet));
    let header: { readonly line: number; readonly width: number } | undefined;
    for await (const share of parts.read(sheet.part, reader, MAX_SHEET_BYTES)) {
      for (const row of reader.takeRows()) {
        line = row.line;
        // Excel leaves out empty cells, and keeps some that have only a format.
        const used = row.cells.findLastIndex((cell) => !isBlank(cell)) + 1;
        if (used === 0) continue;
        header ??= { line, width: used };
        const cells: SheetCell[] = Array.from(
          { length: Math.max(header.width, used) },
          (_, at) => row.cells[at],
        );
        merged.fill(line, cells, header.line);
        yield {
          ...{ line, cells: cells.map((cell) => cell ?? ''), note: '' },
          bytesRead: Math.round(file.size * share),
          ...(row.isHidden && { problem: HIDDEN_ROW }),
          ...(line === header.line && { isHiddenColumn: (at: number) => reader.isHiddenColumn(at) }),
        };
      }
    }
  } catch (error) {
    if (error instanceof CsvSyntaxError) throw error;
    throw readError(error, file) ?? new CsvSyntaxError(line, '', UNSOUND);
  } finally {
    workbook?.zip.close();
  }
}

const HIDDEN_ROW = 'is a hidden row; clear the filter and unhide the row, or delete it';

/** @throws FolderError if the workbook is invalid or cannot be read */
export async function readSheets(file: RegularFile): Promise<readonly Sheet[]> {
  try {
    const { zip, sheets } = await openWorkbook(file);
    zip.close();
    return sheets;
  } catch (error) {
    throw readError(error, file) ?? new FolderError(`${file.path} ${UNSOUND}.`, { cause: error });
  }
}

/** Returns the error for one of the file system; all others are of the libraries, about the contents. */
function readError(error: unknown, { path }: RegularFile): FolderError | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  return new FolderError(cannotRead(path, error), { cause: error });
}

function isBlank(cell: SheetCell): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

function findSheet(sheets: readonly BookSheet[], wanted: string): BookSheet {
  const tables = sheets.filter(({ kind }) => kind === 'table');
  const named = tables.filter(({ name }) => foldName(name) === foldName(wanted));
  const [found, other] = named.length > 0 ? named : tables;
  if (found !== undefined && other === undefined) return found;
  const reason = `has ${String(tables.length)} sheets; name one of them ${wanted} or keep only one`;
  throw new CsvSyntaxError(1, '', reason);
}

async function mergedAreas({ parts }: Workbook, { part }: BookSheet): Promise<MergeReader['areas']> {
  const reader = new MergeReader();
  // They follow the rows, so that the sheet must be read twice.
  if (await parts.contains(part, 'mergeCell', MAX_SHEET_BYTES)) {
    await parts.readAll(part, reader, MAX_SHEET_BYTES);
  }
  return reader.areas;
}

export const XLSX_READER: BookReader = { readRows: readXlsx, readSheets, cellName };
