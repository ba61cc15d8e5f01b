import { statSync } from 'node:fs';

import type { Session } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import { BadCell } from './cell-kinds';
import type { CsvColumn, CsvFile } from './csv-files';
import {
  type ImportProgress,
  type Problem,
  type ProblemList,
  SHOWN_CHARACTERS,
  shownValue,
} from './import-report';
import { type CsvRecord, CsvSyntaxError, delimiterNote, readCsv } from './read-csv';
import { stagedColumns, stagedTable } from './staging-tables';

/**
 * Matches characters that no XML 1.0 document may contain (https://www.w3.org/TR/xml/#charsets): no answer could carry
 * them.
 */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
/** Values of a row in the order of the file's columns, null for a bad cell; undefined if no cell can be read. */
interface ReadRow {
  readonly values?: readonly SqlValue[];
  readonly problems: readonly Problem[];
}

const NO_PROBLEMS: readonly Problem[] = [];

/** Converts the records of one file to rows of values, according to the file's header. */
export class RowReader {
  readonly #file: CsvFile;
  readonly #columns: readonly { readonly column: CsvColumn; readonly at: number }[];
  readonly #width: number;
  /** Problems of the header; rows can be read only if this is empty. */
  readonly problems: readonly Problem[];

  constructor(file: CsvFile, header: CsvRecord) {
    this.#file = file;
    this.#width = header.cells.length;
    this.#columns = file.columns.map((column) => ({ column, at: header.cells.indexOf(column.header) }));
    const missing = this.#columns.filter(({ at }) => at === -1).map(({ column }) => column.header);
    const known = file.columns.map((column) => column.header);
    this.problems = [
      ...missing.map((name) =>
        this.#problem(header, name, `is missing from the header ${delimiterNote(header.delimiter)}`),
      ),
      ...header.cells.flatMap((name, at) => {
        if (!known.includes(name)) {
          return this.#problem(header, shown(name), `is not a known column; expected ${known.join(', ')}`);
        }
        return header.cells.indexOf(name) < at ? this.#problem(header, name, 'is in the header twice') : [];
      }),
    ];
  }

  read(record: CsvRecord): ReadRow {
    const { cells } = record;
    if (cells.length !== this.#width) {
      const found = `${String(cells.length)} ${cells.length === 1 ? 'cell' : 'cells'}`;
      const note = delimiterNote(record.delimiter);
      const reason = `has ${found}, the header ${String(this.#width)} ${note}`;
      return { problems: [this.#problem(record, '', reason)] };
    }
    const values: SqlValue[] = [];
    let problems = NO_PROBLEMS;
    for (const { column, at } of this.#columns) {
      const cell = cells[at] ?? '';
      const value = NOT_XML.test(cell) ? notXml : column.kind.read(cell);
      if (value instanceof BadCell) {
        const shownCell = shownValue(column, cell);
        problems = [...problems, this.#problem(record, column.header, value.reason, shownCell)];
        values.push(null);
      } else {
        values.push(value);
      }
    }
    return { values, problems };
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
  path: string,
  problems: ProblemList,
  onProgress: (progress: ImportProgress) => void,
): Promise<boolean> {
  const columns = stagedColumns(file);
  // A read error is reported by the reader.
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
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
    for await (const record of readCsv(path)) {
      if (reader === undefined) {
        reader = new RowReader(file, record);
        problems.add(reader.problems);
        if (reader.problems.length > 0) return false;
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
