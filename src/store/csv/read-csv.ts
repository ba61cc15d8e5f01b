import { isUtf8 } from 'node:buffer';
import { pipeline, Transform, type TransformCallback } from 'node:stream';

import { CsvError, parse } from 'csv-parse';
import { decode } from 'iconv-lite';

import { cannotRead, type RegularFile } from '../../support/regular-file';
import type { BadCell, SheetMoment } from './cell-kinds';
import { FolderError } from './csv-files';

/** Delimiters of cells, with their names for errors. */
const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const;

type Delimiter = keyof typeof DELIMITERS;

/** Maximum length of a header, in bytes; real ones are far shorter. */
const HEAD_BYTES = 64 * 1024;

/** Matches blank lines, a first cell (quoted, or without a quotation mark), and the delimiter after it. */
const FIRST_CELL = /^\uFEFF?(?:(?:"")?[\r\n])*(?:"(?:[^"]|"")*"|[^",;\t\r\n]*)([,;\t])/;

/** Matches the line in which some programs give the delimiter to Excel. */
const DELIMITER_LINE = /^\uFEFF?sep=([,;\t])[\r\n]/i;

/** Encodings other than UTF-8 that Excel writes; each byte is one character. */
export const ENCODINGS = ['windows-1254', 'windows-1256', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

interface Head {
  /** Undefined if none is found. */
  readonly delimiter: Delimiter | undefined;
  readonly hasDelimiterLine: boolean;
  readonly hasByteOrderMark: boolean;
  readonly isUtf16: boolean;
}

/**
 * Finds the delimiter in the first line, or after the first cell of a file's header: no column name contains
 * one. Excel writes `;` in locales with a decimal comma, and tabs as "text".
 *
 * @throws the file system's error if the file cannot be read
 */
async function headOf({ handle }: RegularFile): Promise<Head> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const text = buffer.toString('utf8', 0, bytesRead);
  const line = DELIMITER_LINE.exec(text);
  const [, found] = line ?? FIRST_CELL.exec(text) ?? [];
  return {
    delimiter: found as Delimiter | undefined, // What the patterns capture.
    hasDelimiterLine: line !== null,
    hasByteOrderMark: text.startsWith('\uFEFF'),
    isUtf16: UTF16_MARKS.includes(buffer.toString('hex', 0, 2)),
  };
}

/** Byte order marks of UTF-16, which Excel writes as “Unicode text”. */
const UTF16_MARKS = ['fffe', 'feff'];

/** Returns a note for errors that may be due to the delimiter. */
function delimiterNote(delimiter: Delimiter | undefined): string {
  return delimiter === undefined
    ? ' (no delimiter found: comma, semicolon or tab)'
    : ` (delimiter: ${DELIMITERS[delimiter]})`;
}

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DELIMITER_BYTES: ReadonlySet<number> = new Set([',', ';', '\t'].map((text) => text.charCodeAt(0)));

/** Maximum number of delimiters in a line; 10,000 of them may be in a cell of the maximum length. */
const MAX_DELIMITERS = 20_000;

/** Thrown for bytes that the CSV parser must not get, with the first such line. */
class BadBytesError extends Error {
  constructor(
    readonly line: number,
    /** Completes the sentence "the line …". */
    readonly reason: string,
  ) {
    super(`line ${String(line)} ${reason}`);
  }
}

/**
 * Passes bytes through as UTF-8, and fails at the first that the encoding does not allow: U+FFFD would take
 * its place, and a name would silently be stored wrong. Also fails at a line with tens of thousands of cells:
 * the parser keeps a whole record in memory, and limits only the length of its cells, not their number.
 */
class ByteCheck extends Transform {
  #tail: Buffer = Buffer.alloc(0);
  #line = 1;
  /** Length of the last line so far, in bytes, and its delimiters beyond the first MAX_DELIMITERS bytes. */
  #lineLength = 0;
  #delimiters = 0;

  /** @param encoding - of the bytes, if it is not UTF-8 */
  constructor(readonly encoding: Encoding | undefined) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.encoding !== undefined) {
      this.#passDecoded(decode(chunk, this.encoding), this.encoding, done);
      return;
    }
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const end = bytes.length - cutCharacterLength(bytes);
    this.#tail = bytes.subarray(end);
    this.#pass(bytes.subarray(0, end), done);
  }

  override _flush(done: TransformCallback): void {
    this.#pass(this.#tail, done);
  }

  #passDecoded(text: string, encoding: Encoding, done: TransformCallback): void {
    const undefinedByte = text.indexOf('\uFFFD');
    if (undefinedByte === -1) {
      this.#pass(Buffer.from(text), done);
      return;
    }
    const line = this.#line + text.slice(0, undefinedByte).split('\n').length - 1;
    done(new BadBytesError(line, `has a byte that is not in ${encoding}`));
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
    const reason = `is not UTF-8; save the file as UTF-8, or set --encoding to ${ENCODINGS.join(', ')}`;
    done(new BadBytesError(line, reason.replace(/, (?=[^,]+$)/, ' or ')));
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
      // Only a longer line can contain that many, so that most lines are not scanned.
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

/** Returns the number of bytes at the end that belong to an incomplete character. */
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

/**
 * Maximum size of one record, in bytes: an unclosed quote must not read the rest of a large file into memory.
 */
const MAX_RECORD_BYTES = 1024 * 1024;

export interface CsvRecord {
  /** Line on which the record begins. */
  readonly line: number;
  /** In a workbook, a cell that cannot be shown has a reason instead. */
  readonly cells: readonly (string | SheetMoment | BadCell)[];
  /** Why the whole row is refused. */
  readonly problem?: string;
  /**
   * In the header of a workbook: returns true for the number of a column that a person does not see; the
   * first is 0.
   */
  readonly isHiddenColumn?: (at: number) => boolean;
  /** Note for errors that may be due to the delimiter, with a blank before it; empty in a workbook. */
  readonly note: string;
  readonly bytesRead: number;
}

/** Thrown for text that is not CSV; reading cannot continue after it. */
export class CsvSyntaxError extends Error {
  constructor(
    /** Line on which the record begins. */
    readonly line: number,
    /** Header of the column, or empty for a problem of the whole line. */
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
 * Reads a CSV file (RFC 4180, UTF-8 with or without byte order mark) record by record in constant memory. Its
 * header may use semicolons or tabs instead of commas. Lines without anything in their cells are skipped.
 *
 * @param encoding - of the file, unless it is UTF-8 or begins with its byte order mark
 * @throws CsvSyntaxError for an invalid file, FolderError if it cannot be read
 */
export async function* readCsv(file: RegularFile, encoding?: Encoding): AsyncGenerator<CsvRecord> {
  let header: readonly string[] | undefined;
  let line = 1;
  try {
    const { delimiter, hasDelimiterLine, hasByteOrderMark, isUtf16 } = await headOf(file);
    if (isUtf16) throw new BadBytesError(1, 'is UTF-16 (“Unicode text”); save the file as CSV in UTF-8');
    const note = delimiterNote(delimiter);
    const bytes = file.handle.createReadStream({ start: 0, autoClose: false });
    const parser = parse({
      bom: true,
      delimiter: delimiter ?? ',',
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true, // a record of the wrong length is a bad row, not the end of the file
      max_record_size: MAX_RECORD_BYTES,
      // Called by the parser, which runs ahead of the consumer. Lines are counted here because the parser
      // counts CR LF inside quotes as two.
      on_record: (cells: string[]) => {
        const start = line;
        line += 1 + lineBreaksIn(cells);
        if ((start === 1 && hasDelimiterLine) || cells.every((cell) => cell.trim() === '')) return null;
        header ??= cells;
        return [String(start), ...cells];
      },
    });
    // Errors of the first two streams destroy the parser and are thrown to its reader.
    pipeline(bytes, new ByteCheck(hasByteOrderMark ? undefined : encoding), parser, () => undefined);

    for await (const record of parser) {
      // As returned by on_record: the line and the cells.
      const [start, ...cells] = record as readonly string[];
      yield { line: Number(start), cells, note, bytesRead: bytes.bytesRead };
    }
  } catch (error) {
    if (error instanceof BadBytesError) throw new CsvSyntaxError(error.line, '', error.reason);
    if (!(error instanceof CsvError)) {
      throw new FolderError(cannotRead(file.path, error), { cause: error });
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
