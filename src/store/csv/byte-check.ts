import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DELIMITERS: ReadonlySet<number> = new Set([',', ';', '\t'].map((text) => text.charCodeAt(0)));

/** A text of 10,000 characters, the longest that a cell may hold, can consist of them. */
const MAX_DELIMITERS = 20_000;

/** The bytes are not what the CSV parser may be given, first on this line. */
export class BadBytesError extends Error {
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
export class ByteCheck extends Transform {
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
      for (let at = from; at < end; at += 1) if (DELIMITERS.has(bytes[at] ?? 0)) this.#delimiters += 1;
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
