import type { Answer } from './answer';
import { escapeText } from './xml-text';

const START_BYTES = 64 * 1024;
/** Memory that comes back is kept for the next answers, as long as it is no larger and no more than this. */
const KEPT_BYTES = 1024 * 1024;
const MOST_KEPT = 16;
/** UTF-8 needs at most this for one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

const ASCII_END = 0x80;
const TWO_BYTES_END = 0x800;
const SURROGATES = 0xd800;

/** ASCII characters that text content may hold as they stand, by code. */
const PLAIN = Uint8Array.from({ length: ASCII_END }, (_, code) => {
  const character = String.fromCharCode(code);
  return escapeText(character) === character ? 1 : 0;
});

/**
 * Memory in which a long answer is put together, in the UTF-8 that goes out: encoding each value where it is to
 * stand costs a fifth of joining strings, searching them for what must be escaped, and encoding the whole.
 *
 * One serves one answer after the other.
 */
export class MarkupBuffer {
  #bytes: Buffer = Buffer.allocUnsafeSlow(START_BYTES);
  /** Where the answer under way ends so far. */
  #end = 0;
  readonly #free: Buffer[] = [];

  /** Begins an answer; one that an error left unfinished is gone. */
  begin(): void {
    this.#end = 0;
  }

  /** Adds what was encoded and escaped before. */
  markup(bytes: Uint8Array): void {
    const { length } = bytes;
    if (this.#end + length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(bytes, this.#end);
    this.#end += length;
  }

  /** Adds text content, escaped. */
  text(value: string): void {
    const most = value.length * MOST_BYTES_PER_UNIT;
    if (this.#end + most > this.#bytes.length) this.#grow(most);
    const bytes = this.#bytes;
    let end = this.#end;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code < ASCII_END) {
        if (PLAIN[code] !== 1) {
          this.#end = end;
          this.#difficult(value.slice(index));
          return;
        }
        bytes[end++] = code;
      } else if (code < TWO_BYTES_END) {
        bytes[end++] = 0xc0 | (code >> 6);
        bytes[end++] = 0x80 | (code & 0x3f);
      } else if (code < SURROGATES) {
        bytes[end++] = 0xe0 | (code >> 12);
        bytes[end++] = 0x80 | ((code >> 6) & 0x3f);
        bytes[end++] = 0x80 | (code & 0x3f);
      } else {
        this.#end = end;
        this.#difficult(value.slice(index));
        return;
      }
    }
    this.#end = end;
  }

  /** What was added since the beginning. */
  take(): Pick<Answer, 'body' | 'release'> {
    const bytes = this.#bytes;
    const body = bytes.subarray(0, this.#end);
    // Fresh memory costs a long answer a third of its time: the system gives it page by page.
    this.#bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(START_BYTES);
    this.#end = 0;
    if (bytes.length > KEPT_BYTES) return { body };
    return {
      body,
      release: () => {
        if (this.#free.length < MOST_KEPT) this.#free.push(bytes);
      },
    };
  }

  /** Text from its first character on that is to be escaped, or that is half of a character. */
  #difficult(value: string): void {
    const text = escapeText(value);
    const most = text.length * MOST_BYTES_PER_UNIT;
    if (this.#end + most > this.#bytes.length) this.#grow(most);
    this.#end += this.#bytes.write(text, this.#end, 'utf8');
  }

  #grow(missing: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#end + missing));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
