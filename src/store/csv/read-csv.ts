import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import { errorWord } from '../../support/errors';
import { BadBytesError, ByteCheck } from './byte-check';
import { FolderError } from './csv-files';
import { type Delimiter, delimiterOf } from './delimiter';

/** Most bytes of one record: a quote that is never closed must not take the rest of a large file into memory. */
const MOST_RECORD_BYTES = 1024 * 1024;

export interface CsvRecord {
  /** The line on which the record begins. */
  readonly line: number;
  readonly cells: readonly string[];
  /** What parts the cells of the file; undefined where its header has one cell. */
  readonly delimiter: Delimiter | undefined;
  /** Bytes of the file that were read so far. */
  readonly bytesRead: number;
}

/** The text is not CSV: nothing after this place can be read. */
export class CsvSyntaxError extends Error {
  constructor(
    /** The line on which the record begins. */
    readonly line: number,
    /** What the header calls the column, or empty where it is about the line. */
    readonly column: string,
    readonly reason: string,
  ) {
    super(`line ${String(line)} ${reason}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'opens a quote that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote; a quote inside a quoted cell is written twice',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: 'holds more than a million bytes; is a quote left open?',
};

/**
 * Reads a file of comma-separated values (RFC 4180, UTF-8 with or without byte order mark), record by record
 * in constant memory. Instead of commas it may have semicolons or tabs, as its header says. Blank lines are left
 * out.
 *
 * @throws CsvSyntaxError where it is no such file, FolderError where it cannot be read
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRecord> {
  let header: readonly string[] | undefined;
  let line = 1;
  try {
    const delimiter = await delimiterOf(path);
    const bytes = createReadStream(path);
    const parser = parse({
      bom: true,
      delimiter: delimiter ?? ',',
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true, // a record of the wrong length is a bad row, not the end of the file
      max_record_size: MOST_RECORD_BYTES,
      // Called as the parser goes, which is ahead of who reads it. Lines are counted here: the parser's own
      // account takes CR LF inside quotes for two.
      on_record: (cells: string[]) => {
        header ??= cells;
        const start = line;
        line += 1 + lineBreaksIn(cells);
        return cells.length === 1 && cells[0] === '' ? null : [String(start), ...cells];
      },
    });
    // Errors of the first two destroy the parser, and are thrown where it is read.
    pipeline(bytes, new ByteCheck(), parser, () => undefined);

    for await (const record of parser) {
      // What on_record returned: the line and the cells.
      const [start, ...cells] = record as readonly string[];
      yield { line: Number(start), cells, delimiter, bytesRead: bytes.bytesRead };
    }
  } catch (error) {
    if (error instanceof BadBytesError) throw new CsvSyntaxError(error.line, '', error.reason);
    if (!(error instanceof CsvError)) {
      const code = errorWord(error);
      throw new FolderError(`The file ${path} cannot be read (${code}).`, { cause: error });
    }
    const column = typeof error['column'] === 'number' ? header?.[error['column']] : undefined;
    throw new CsvSyntaxError(line, column ?? '', REASONS[error.code] ?? 'is not CSV');
  }
}

function lineBreaksIn(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) count += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return count;
}
