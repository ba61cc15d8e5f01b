import { EXACT_KEYS, type KeyCollation } from '../../support/key-collation';
import type { RegularFile } from '../../support/regular-file';
import type { Session } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import { BadCell, type DateOrder } from './cell-kinds';
import { type CsvColumn, type CsvFile, type FileMap, hasSpelling } from './csv-files';
import {
  type ImportProgress,
  type Problem,
  type ProblemList,
  SHOWN_CHARACTERS,
  shownValue,
} from './import-report';
import { type CsvRecord, CsvSyntaxError, type Encoding, readCsv } from './read-csv';
import { readXlsx } from './read-xlsx';
import { stagedColumns, stagedTable } from './staging-tables';

/**
 * Matches characters that no XML 1.0 document may contain (https://www.w3.org/TR/xml/#charsets): no answer could carry
 * them.
 */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
/**
 * Values of a row in the order of the file's columns, null for a bad cell, followed by the spelling of its own id if
 * the table has one; undefined if no cell can be read.
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
  readonly name: string;
  readonly at: number;
  /** Values to read instead of some cells. */
  readonly values: ReadonlyMap<string, string>;
}

/** Converts the records of one file to rows of values, according to the file's header. */
export class RowReader {
  readonly #file: CsvFile;
  readonly #columns: readonly FoundColumn[];
  readonly #width: number;
  readonly #dateOrder: DateOrder | undefined;
  readonly #fold: KeyCollation['fold'];
  readonly #hasSpelling: boolean;
  /** Problems of the header. */
  readonly problems: readonly Problem[];
  /** False if a column is missing. */
  readonly canRead: boolean;

  constructor(
    file: CsvFile,
    header: CsvRecord,
    { dateOrder, ignoreExtraColumns = false }: FileForm = {},
    map: FileMap = {},
    { fold } = EXACT_KEYS,
  ) {
    this.#file = file;
    this.#fold = fold;
    this.#hasSpelling = hasSpelling(file);
    const names = header.cells.map((cell) => (cell instanceof BadCell ? '' : cell));
    this.#width = names.length;
    this.#dateOrder = dateOrder;
    this.#columns = file.columns.map((column) => {
      const name = map.columns?.[column.header] ?? column.header;
      const values = new Map(Object.entries(map.values?.[column.header] ?? {}));
      return { column, name, at: names.indexOf(name), values };
    });
    this.canRead = this.#columns.every(({ at }) => at !== -1);
    const unknown = 'is not a known column; set --ignore-extra-columns to skip it';
    this.problems = [
      ...this.#columns
        .filter(({ at }) => at === -1)
        .map(({ column }) =>
          this.#problem(header, column.header, `is missing from the header${header.note}`),
        ),
      ...names.flatMap((name, at) => {
        const column = this.#columns.find((each) => each.name === name)?.column;
        if (column === undefined) {
          return ignoreExtraColumns ? [] : this.#problem(header, shown(name), unknown);
        }
        return names.indexOf(name) < at ? this.#problem(header, column.header, 'is in the header twice') : [];
      }),
    ];
  }

  read(record: CsvRecord): ReadRow {
    const { cells } = record;
    if (cells.length !== this.#width) {
      const found = `${String(cells.length)} ${cells.length === 1 ? 'cell' : 'cells'}`;
      const reason = `has ${found}, the header ${String(this.#width)}${record.note}`;
      return { problems: [this.#problem(record, '', reason)] };
    }
    const values: SqlValue[] = [];
    let problems = NO_PROBLEMS;
    let spelling: string | null = null;
    for (const { column, at, values: mapped } of this.#columns) {
      const found = cells[at] ?? '';
      const text = found instanceof BadCell ? '' : found;
      const cell = mapped.size === 0 ? text : (mapped.get(text.trim()) ?? text);
      const value = found instanceof BadCell ? found : this.#value(column, cell);
      if (value instanceof BadCell) {
        const shownCell = shownValue(column, cell);
        problems = [...problems, this.#problem(record, column.header, value.reason, shownCell)];
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

  #value(column: CsvColumn, cell: string): SqlValue | BadCell {
    return NOT_XML.test(cell) ? notXml : column.kind.read(cell, this.#dateOrder);
  }

  #problem({ line }: CsvRecord, column: string, reason: string, value = ''): Problem {
    return { file: this.#file.file, line, column, value, reason };
  }
}

const notXml = new BadCell('contains a character that is not allowed in XML');

/** Quotes and truncates a text for the terminal; it may be anything. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
}

export function isWorkbook(path: string): boolean {
  return path.toLowerCase().endsWith('.xlsx');
}

interface FileSource {
  readonly opened: RegularFile;
  /** Sheet of a workbook with several sheets, in lower case. */
  readonly sheet: string;
  readonly map?: FileMap | undefined;
  readonly form: FileForm;
  readonly keys: KeyCollation;
}

/** Number of rows sent to the database together. */
const BATCH_ROWS = 1000;

/**
 * Reads a file into its staging table, also bad rows: other files may refer to them. Errors are added to `problems`;
 * invalid CSV ends the reading.
 *
 * @returns true if every row is in the table, so that references to the file can be checked
 * @throws FolderError if the file cannot be read
 */
export async function stageFile(
  session: Session,
  file: CsvFile,
  { opened, sheet, map, form, keys }: FileSource,
  problems: ProblemList,
  onProgress: (progress: ImportProgress) => void,
): Promise<boolean> {
  const columns = stagedColumns(file);
  const { size: bytes } = opened;
  let reader: RowReader | undefined;
  let batch: (readonly SqlValue[])[] = [];
  let records = 0;
  let rows = 0;
  let isWhole = true;

  const flush = async (bytesRead: number): Promise<void> => {
    await session.insertRows(stagedTable(file), columns, batch);
    rows += batch.length;
    batch = [];
    onProgress({ file: file.file, step: 'reading', bytesRead, bytes, rows });
  };

  try {
    const source = isWorkbook(opened.path) ? readXlsx(opened, sheet) : readCsv(opened, form.encoding);
    for await (const record of source) {
      if (reader === undefined) {
        reader = new RowReader(file, record, form, map, keys);
        problems.add(reader.problems);
        if (!reader.canRead) return false;
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
  return isWhole;
}
