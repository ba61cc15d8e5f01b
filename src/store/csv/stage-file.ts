import { EXACT_KEYS, type KeyCollation } from '../../support/key-collation';
import type { RegularFile } from '../../support/regular-file';
import type { DatabaseSession } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import { type BookReader, bookReader, isBookName, type Sheet } from './book';
import { BadCell, type DateOrder, momentInText, SheetMoment } from './cell-kinds';
import { type CsvColumn, type CsvFile, type FileMap, hasSpelling } from './csv-files';
import { foldName } from './fold-name';
import {
  type ImportProgress,
  type Problem,
  type ProblemList,
  SHOWN_CHARACTERS,
  shownValue,
} from './import-report';
import { type CsvRecord, CsvSyntaxError, type Encoding, readCsv } from './read-csv';
import { KEY_SEPARATOR, stagedColumns, stagedTable } from './staging-tables';

/**
 * Matches characters that no XML 1.0 document may contain (https://www.w3.org/TR/xml/#charsets): no answer
 * could carry them.
 */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
/**
 * Values of a row in the order of the file's columns, null for a bad cell, followed by the spelling of its
 * own id if the table has one; undefined if no cell can be read.
 */
interface ReadRow {
  readonly values?: readonly SqlValue[];
  readonly problems: readonly Problem[];
}

const NO_PROBLEMS: readonly Problem[] = [];

/** Forms of the files that an operator must name. */
export interface FileForm {
  /** Encoding of files without a byte order mark; UTF-8 by default. */
  readonly encoding?: Encoding;
  /** Dates with slashes are refused without it. */
  readonly dateOrder?: DateOrder;
  readonly ignoreExtraColumns?: boolean;
}

interface FoundColumn {
  readonly column: CsvColumn;
  readonly at: number;
  /** Values to read instead of some cells. */
  readonly values: ReadonlyMap<string, string>;
}

/** @param at - number of the column, counted from 0 */
type CellName = (line: number, at: number) => string;

/** Forms of a file, and where it is from. */
interface RowReaderOptions extends FileForm {
  readonly map?: FileMap | undefined;
  readonly keys?: KeyCollation;
  /** Returns the name of a cell, in a workbook. */
  readonly cellName?: CellName | undefined;
}

/** Converts the records of one file to rows of values, according to the file's header. */
export class RowReader {
  readonly #file: CsvFile;
  readonly #columns: readonly FoundColumn[];
  readonly #width: number;
  /** Number of columns that may have something in them. */
  readonly #headings: number;
  readonly #dateOrder: DateOrder | undefined;
  readonly #fold: KeyCollation['fold'];
  readonly #hasSpelling: boolean;
  readonly #cellNameIn: CellName | undefined;
  /** Problems of the header. */
  readonly problems: readonly Problem[];
  /** False if a column is missing. */
  readonly canRead: boolean;

  constructor(
    file: CsvFile,
    header: CsvRecord,
    { dateOrder, ignoreExtraColumns = false, map = {}, keys = EXACT_KEYS, cellName }: RowReaderOptions = {},
  ) {
    this.#file = file;
    this.#fold = keys.fold;
    this.#hasSpelling = hasSpelling(file);
    this.#cellNameIn = cellName;
    const names = header.cells.map((cell) => (typeof cell === 'string' ? cell : ''));
    const folded = names.map(foldName);
    this.#width = names.length;
    // Spreadsheets write some blank columns beyond a table.
    this.#headings = ignoreExtraColumns ? names.length : folded.findLastIndex((name) => name !== '') + 1;
    this.#dateOrder = dateOrder;
    this.#columns = file.columns.map((column) => {
      const name = foldName(map.columns?.[column.header] ?? column.header);
      const values = new Map(Object.entries(map.values?.[column.header] ?? {}));
      return { column, at: folded.indexOf(name), values };
    });
    this.canRead = this.#columns.every(({ at }) => at !== -1);
    this.problems = [
      ...this.#columns
        .filter(({ at }) => at === -1)
        .map(({ column }) =>
          this.#problem(header, 0, {
            column: column.header,
            reason: `is missing from the header${header.note}`,
          }),
        ),
      ...names
        .slice(0, this.#headings)
        .flatMap((name, at) => this.#headingProblems(header, name, at, folded, ignoreExtraColumns)),
      ...(header.problem === undefined ? [] : [this.#problem(header, 0, { reason: header.problem })]),
    ];
  }

  #headingProblems(
    header: CsvRecord,
    name: string,
    at: number,
    folded: readonly string[],
    ignoreExtraColumns: boolean,
  ): readonly Problem[] {
    const first = folded.indexOf(folded[at] ?? '');
    const column = this.#columns.find((each) => each.at === first)?.column.header;
    if (column === undefined) {
      const reason = 'is not a known column; set --ignore-extra-columns to skip it';
      return ignoreExtraColumns ? [] : [this.#problem(header, at, { column: shown(name), reason })];
    }
    if (first < at) return [this.#problem(header, at, { column, reason: 'is in the header twice' })];
    if (header.isHiddenColumn?.(at) !== true) return [];
    return [this.#problem(header, at, { column, reason: 'is a hidden column; unhide it' })];
  }

  read(record: CsvRecord): ReadRow {
    if (record.problem !== undefined)
      return { problems: [this.#problem(record, 0, { reason: record.problem })] };
    const { cells } = record;
    if (cells.length !== this.#width) {
      const found = `${String(cells.length)} ${cells.length === 1 ? 'cell' : 'cells'}`;
      const reason = `has ${found}, the header ${String(this.#width)}${record.note}`;
      return { problems: [this.#problem(record, 0, { reason })] };
    }
    const without = this.#headings < this.#width ? cells.findLastIndex((cell) => !isBlank(cell)) : -1;
    if (without >= this.#headings) {
      return {
        problems: [this.#problem(record, without, { reason: 'has a cell in a column without a heading' })],
      };
    }
    const values: SqlValue[] = [];
    let problems = NO_PROBLEMS;
    let spelling: string | null = null;
    for (const { column, at, values: mapped } of this.#columns) {
      const found = cells[at] ?? '';
      const text = found instanceof BadCell ? found.shown : found instanceof SheetMoment ? found.text : found;
      const cell = mapped.size === 0 ? text : (mapped.get(text.trim()) ?? text);
      const value = found instanceof BadCell ? found : this.#value(column, found, cell);
      if (value instanceof BadCell) {
        const { reason } = value;
        const problem = { column: column.header, value: shownValue(column, cell), reason };
        problems = [...problems, this.#problem(record, at, problem)];
        values.push(null);
      } else if (column.kind.isKey === true && typeof value === 'string') {
        const id = this.#fold(value);
        values.push(id);
        if (column.column === 'id' && id !== value) spelling = value;
      } else {
        values.push(value);
      }
    }
    if (this.#hasSpelling) values.push(spelling);
    return { values, problems };
  }

  /**
   * Returns the name of the cell in a line and column, or of the line's first cell; undefined for a CSV file.
   */
  cellName(line: number, header: string): string | undefined {
    const last = header.split(KEY_SEPARATOR).at(-1);
    return this.#cellName(line, this.#columns.find(({ column }) => column.header === last)?.at ?? 0);
  }

  #value({ kind }: CsvColumn, found: CsvRecord['cells'][number], cell: string): SqlValue | BadCell {
    if (found instanceof SheetMoment && kind.isMoment !== true) return momentInText;
    if (found instanceof SheetMoment && found.problem !== undefined) return found.problem;
    return NOT_XML.test(cell) ? notXml : kind.read(cell, this.#dateOrder);
  }

  #problem(
    { line }: CsvRecord,
    at: number,
    { column = '', value = '', reason }: { column?: string; value?: string; reason: string },
  ): Problem {
    return { file: this.#file.file, line, ...this.#place(line, at), column, value, reason };
  }

  #place(line: number, at: number): Pick<Problem, 'cell'> {
    const cell = this.#cellName(line, at);
    return cell === undefined ? {} : { cell };
  }

  #cellName(line: number, at: number): string | undefined {
    return this.#cellNameIn?.(line, Math.max(0, at));
  }
}

function isBlank(cell: CsvRecord['cells'][number]): boolean {
  return typeof cell === 'string' && cell.trim() === '';
}

const notXml = new BadCell('contains a character that is not allowed in XML');

/** Quotes and truncates a text for the terminal; it may be anything. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
}

interface FileSource {
  readonly opened: RegularFile;
  /** Sheet of a workbook with several sheets. */
  readonly sheet: string;
  readonly map?: FileMap | undefined;
  readonly form: FileForm;
  readonly keys: KeyCollation;
}

export interface StagedFile {
  /** True if every row is in the table, so that references to the file can be checked. */
  readonly isWhole: boolean;
  /** Returns the name of a cell; undefined for a CSV file. */
  readonly cellName: RowReader['cellName'];
  /** Sheets of the file's own workbook that are not read. */
  readonly otherSheets: readonly Sheet[];
}

/** Number of rows sent to the database together. */
const BATCH_ROWS = 1000;

/**
 * Reads a file into its staging table, also bad rows: other files may refer to them. Errors are added to
 * `problems`; invalid CSV ends the reading.
 *
 * @throws FolderError if the file cannot be read
 */
export async function stageFile(
  session: DatabaseSession,
  file: CsvFile,
  { opened, sheet, map, form, keys }: FileSource,
  problems: ProblemList,
  onProgress: (progress: ImportProgress) => void,
): Promise<StagedFile> {
  const columns = stagedColumns(file);
  const { size: bytes } = opened;
  let reader: RowReader | undefined;
  let batch: (readonly SqlValue[])[] = [];
  let records = 0;
  let rows = 0;
  let isWhole = true;
  let cellName: CellName | undefined;
  let otherSheets: readonly Sheet[] = [];
  const staged = (whole: boolean): StagedFile => ({
    isWhole: whole,
    cellName: (line, header) => reader?.cellName(line, header),
    otherSheets,
  });

  const rowsOfBook = (book: BookReader): AsyncIterable<CsvRecord> =>
    book.readRows(opened, sheet, (found, others) => {
      cellName = (line, at) => book.cellName(found.name, line, at);
      otherSheets = others;
    });

  const flush = async (bytesRead: number): Promise<void> => {
    await session.insertRows(stagedTable(file), columns, batch);
    rows += batch.length;
    batch = [];
    onProgress({ file: file.file, step: 'reading', bytesRead, bytes, rows });
  };

  try {
    const source = isBookName(opened.path)
      ? rowsOfBook(await bookReader(opened.path))
      : readCsv(opened, form.encoding);
    for await (const record of source) {
      if (reader === undefined) {
        reader = new RowReader(file, record, { ...form, map, keys, cellName });
        problems.add(reader.problems);
        if (!reader.canRead) return staged(false);
        continue;
      }
      const row = reader.read(record);
      if (row.problems.length > 0) problems.add(row.problems);
      if (row.values === undefined) isWhole = false;
      else batch.push([record.line, ...row.values]);
      records += 1;
      if (records % BATCH_ROWS === 0) await flush(record.bytesRead);
    }
    if (reader === undefined) {
      problems.add([{ file: file.file, line: 1, column: '', value: '', reason: 'is empty' }]);
      isWhole = false;
    }
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    const { line, column, reason } = error;
    problems.add([{ file: file.file, line, column, value: '', reason }]);
    isWhole = false;
  }
  await flush(bytes);
  return staged(isWhole);
}
