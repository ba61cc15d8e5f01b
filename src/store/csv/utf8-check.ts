import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';

const NEW_LINE = 0x0a;

/** The bytes are no UTF-8, first on this line. */
export class NotUtf8Error extends Error {
  constructor(readonly line: number) {
    super(`line ${String(line)} is not UTF-8`);
  }
}

/**
 * Passes bytes on as they are, and fails at the first that are no UTF-8: the CSV parser would put U+FFFD in
 * their place, and a name would be stored wrong without a word.
 */
export class Utf8Check extends Transform {
  #tail: Buffer = Buffer.alloc(0);
  #line = 1;

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
    done(new NotUtf8Error(line));
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
