import { statSync } from 'node:fs';

import type { Session } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import { BadCell } from './cell-kinds';
import type { CsvColumn, CsvFile } from './csv-files';
import type { ImportProgress, Problem, ProblemList } from './import-report';
import { type CsvRecord, CsvSyntaxError, delimiterNote, readCsv } from './read-csv';
import { stagedColumns, stagedTable } from './staging-tables';

/**
 * Matches characters that no XML 1.0 document may contain (https://www.w3.org/TR/xml/#charsets): no answer could carry
 * them.
 */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
/** Maximum number of characters shown of an unknown header. */
const SHOWN_CHARACTERS = 40;

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

  /** @returns the values in the order of the file's columns, or the first problem */
  read(record: CsvRecord): readonly SqlValue[] | Problem {
    const { cells } = record;
    if (cells.length !== this.#width) {
      const found = `${String(cells.length)} ${cells.length === 1 ? 'cell' : 'cells'}`;
      const note = delimiterNote(record.delimiter);
      return this.#problem(record, '', `has ${found}, the header ${String(this.#width)} ${note}`);
    }
    const values: SqlValue[] = [];
    for (const { column, at } of this.#columns) {
      const cell = cells[at] ?? '';
      if (NOT_XML.test(cell)) {
        return this.#problem(record, column.header, 'contains a character that is not allowed in XML');
      }
      const value = column.kind.read(cell);
      if (value instanceof BadCell) return this.#problem(record, column.header, value.reason);
      values.push(value);
    }
    return values;
  }

  #problem({ line }: CsvRecord, column: string, reason: string): Problem {
    return { file: this.#file.file, line, column, reason };
  }
}

/** Quotes and truncates a text for the terminal; it may be anything. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
}

/** Number of rows sent to the database together. */
const BATCH_ROWS = 1000;

/**
 * Reads a file into its staging table. Bad rows are added to `problems` and left out; invalid CSV ends the reading and
 * is added as well.
 *
 * @returns the number of rows staged
 * @throws FolderError if the file cannot be read
 */
export async function stageFile(
  session: Session,
  file: CsvFile,
  path: string,
  problems: ProblemList,
  onProgress: (progress: ImportProgress) => void,
): Promise<number> {
  const columns = stagedColumns(file);
  // A read error is reported by the reader.
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let reader: RowReader | undefined;
  let batch: (readonly SqlValue[])[] = [];
  let records = 0;
  let rows = 0;

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
        if (reader.problems.length > 0) return 0;
        continue;
      }
      const values = reader.read(record);
      if ('reason' in values) problems.add([values]);
      else batch.push([record.line, ...values]);
      records += 1;
      if (records % BATCH_ROWS === 0) await flush(record.bytesRead);
    }
    if (reader === undefined) problems.add([{ file: file.file, line: 1, column: '', reason: 'is empty' }]);
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    const { line, column, reason } = error;
    problems.add([{ file: file.file, line, column, reason }]);
  }
  await flush(bytes);
  return rows;
}
