import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Transform, type TransformCallback } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import { errorWord } from '../../support/errors';
import { FolderError } from './csv-files';

/** What may part the cells of a file, and what an error calls it. */
const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const;

type Delimiter = keyof typeof DELIMITERS;

/** A header is far shorter than this, in bytes. */
const HEAD_BYTES = 64 * 1024;

/** Blank lines, a first cell (quoted, or without a quotation mark), and what stands behind it. */
const FIRST_CELL = /^\uFEFF?(?:(?:"")?[\r\n])*(?:"(?:[^"]|"")*"|[^",;\t\r\n]*)([,;\t])/;

/**
 * The delimiter behind the first cell of a file's header: no column has a name with one. Excel writes `;` where
 * the comma is for decimals, and tabs as "text".
 *
 * @returns undefined where there is none
 * @throws the file system's error where the file cannot be read
 */
async function delimiterOf(path: string): Promise<Delimiter | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [, found] = FIRST_CELL.exec(buffer.toString('utf8', 0, bytesRead)) ?? [];
    return found === undefined ? undefined : (found as Delimiter); // What the pattern captures.
  } finally {
    await file.close();
  }
}

/** For an error text, behind what it has to do with the delimiter. */
export function delimiterNote(delimiter: Delimiter | undefined): string {
  return delimiter === undefined
    ? '(no delimiter found: comma, semicolon or tab)'
    : `(delimiter: ${DELIMITERS[delimiter]})`;
}

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DELIMITER_BYTES: ReadonlySet<number> = new Set([',', ';', '\t'].map((text) => text.charCodeAt(0)));

/** A text of 10,000 characters, the longest that a cell may hold, can consist of them. */
const MAX_DELIMITERS = 20_000;

/** The bytes are not what the CSV parser may be given, first on this line. */
class BadBytesError extends Error {
  constructor(
    readonly line: number,
    /** Completes "the line". */
    readonly reason: string,
  ) {
    super(`line ${String(line)} ${reason}`);
  }
}

/**
 * Passes bytes on as they are, and fails at the first that are no UTF-8: the CSV parser would put U+FFFD in
 * their place, and a name would be stored wrong without a word. Also fails at a line of tens of thousands of cells:
 * the parser holds a whole record, and bounds only the length of its cells, not how many there are.
 */
class ByteCheck extends Transform {
  #tail: Buffer = Buffer.alloc(0);
  #line = 1;
  /** Bytes of the last line so far, and delimiters in it beyond the first MAX_DELIMITERS bytes. */
  #lineLength = 0;
  #delimiters = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const end = bytes.length - cutCharacterLength(bytes);
    this.#tail = bytes.subarray(end);
    this.#pass(bytes.subarray(0, end), done);
  }

  override _flush(done: TransformCallback): void {
    this.#pass(this.#tail, done);
  }

  #pass(bytes: Buffer, done: TransformCallback): void {
    if (isUtf8(bytes)) {
      const wide = this.#findWideLine(bytes);
      if (wide !== undefined) {
        done(new BadBytesError(wide, `has more than ${String(MAX_DELIMITERS)} cells`));
        return;
      }
      this.#line += countLines(bytes);
      done(null, bytes);
      return;
    }
    let start = 0;
    let line = this.#line;
    for (;;) {
      const end = bytes.indexOf(NEW_LINE, start);
      if (end === -1 || !isUtf8(bytes.subarray(start, end))) break;
      start = end + 1;
      line += 1;
    }
    done(new BadBytesError(line, 'is not UTF-8; save the file as UTF-8'));
  }

  /** Returns the number of the first line with too many delimiters. Lines may also end with CR alone. */
  #findWideLine(bytes: Buffer): number | undefined {
    let start = 0;
    let line = this.#line;
    let feed = bytes.indexOf(NEW_LINE);
    let carriage = bytes.indexOf(CARRIAGE_RETURN);
    while (start < bytes.length) {
      const ends = [feed, carriage].filter((at) => at !== -1);
      const end = ends.length === 0 ? bytes.length : Math.min(...ends);
      // Only a line that is longer can have as many, so that of most lines no byte is looked at.
      const from = Math.max(start, start + MAX_DELIMITERS - this.#lineLength);
      for (let at = from; at < end; at += 1) if (DELIMITER_BYTES.has(bytes[at] ?? 0)) this.#delimiters += 1;
      if (this.#delimiters > MAX_DELIMITERS) return line;
      this.#lineLength += end - start;
      if (end === bytes.length) return undefined;
      this.#lineLength = 0;
      this.#delimiters = 0;
      if (end === feed) {
        line += 1;
        feed = bytes.indexOf(NEW_LINE, end + 1);
      } else {
        carriage = bytes.indexOf(CARRIAGE_RETURN, end + 1);
      }
      start = end + 1;
    }
    return undefined;
  }
}

/** How many bytes at the end belong to a character that the next chunk may complete. */
function cutCharacterLength(bytes: Buffer): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return whole > length ? length : 0;
    }
  }
  return 0;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, at + 1)) count += 1;
  return count;
}

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
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote; double the quotes inside a quoted cell',
  INVALID_OPENING_QUOTE: 'has a quote inside an unquoted cell',
  CSV_MAX_RECORD_SIZE: 'is longer than a million bytes; is a closing quote missing?',
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
      throw new FolderError(`Cannot read ${path} (${code}).`, { cause: error });
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
