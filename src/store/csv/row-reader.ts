import type { SqlValue } from '../engine';
import { BadCell } from './cell-kinds';
import type { CsvColumn, CsvFile } from './csv-files';
import { delimiterNote } from './delimiter';
import type { CsvRecord } from './read-csv';
import type { Problem } from './import-report';

/** What no XML 1.0 document may hold (https://www.w3.org/TR/xml/#charsets): no answer could carry it. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
/** Most characters of an unknown header that are shown. */
const SHOWN_CHARACTERS = 40;

/** Turns the records of one file into rows of values, by the header that the file has. */
export class RowReader {
  readonly #file: CsvFile;
  readonly #columns: readonly { readonly column: CsvColumn; readonly at: number }[];
  readonly #width: number;
  /** What is wrong with the header; rows can be read only where this is empty. */
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
          return this.#problem(header, shown(name), `is not a column; those are ${known.join(', ')}`);
        }
        return header.cells.indexOf(name) < at
          ? this.#problem(header, name, 'stands in the header twice')
          : [];
      }),
    ];
  }

  /** @returns the values in the order of the file's columns, or the first thing that is wrong */
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
        return this.#problem(record, column.header, 'holds a character that XML cannot carry');
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

/** Quoted and cut: it goes to a terminal, and may be anything. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
}
