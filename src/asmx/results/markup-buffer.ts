import type { Value } from '../contract/values';
import type { HttpResponse } from '../http/response';
import { MOST_PUT_BYTES, type Put } from '../types/ascii-text';
import { escapeText } from '../xml/xml-characters';

const START_BYTES = 64 * 1024;
/** Memory that comes back is kept for the next answers, as long as it is no larger and no more than this. */
const KEPT_BYTES = 1024 * 1024;
const MOST_KEPT = 16;
/** UTF-8 needs at most this for one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

const ASCII_END = 0x80;
const TWO_BYTES_END = 0x800;
const SURROGATES = 0xd800;

/** Copied in words of so many bytes. */
const WORD_BYTES = 8;

/** Markup that is written again and again, encoded. */
export interface Markup {
  /** Its UTF-8, as little-endian numbers of 64 bits; the last is filled up with zeros. */
  readonly words: Float64Array;
  /** In bytes. */
  readonly length: number;
}

/** Encodes markup for {@link MarkupBuffer.markup}. */
export function encodeMarkup(text: string): Markup {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES);
  padded.set(bytes);
  const words = Float64Array.from({ length: padded.length / WORD_BYTES }, (_, at) =>
    padded.readDoubleLE(at * WORD_BYTES),
  );
  return { words, length: bytes.length };
}

/** Memory for one answer at a time. */
class Block {
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafeSlow(length);
    this.view = new DataView(this.bytes.buffer);
  }
}

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
  #block = new Block(START_BYTES);
  /** Where the answer under way ends so far. */
  #end = 0;
  readonly #free: Block[] = [];

  /** Begins an answer; one that an error left unfinished is gone. */
  begin(): void {
    this.#end = 0;
  }

  /**
   * Adds markup. For the few words that it mostly is, a loop costs half of what a call into the engine does. No
   * word is NaN, whose bits the engine might change: 0xF0 and more before 0x7F or 0xFF is never UTF-8.
   */
  markup({ words, length }: Markup): void {
    const most = words.length * WORD_BYTES;
    if (this.#end + most > this.#block.bytes.length) this.#grow(most);
    const { view } = this.#block;
    let offset = this.#end;
    let index = 0;
    // Through an iterator it would cost a quarter more.
    while (index < words.length) {
      view.setFloat64(offset, words[index] ?? 0, true);
      offset += WORD_BYTES;
      index += 1;
    }
    this.#end += length;
  }

  /** Adds a value's text, which needs no escaping; false, and nothing added, where `put` leaves it. */
  put(put: Put, value: Value): boolean {
    if (this.#end + MOST_PUT_BYTES > this.#block.bytes.length) this.#grow(MOST_PUT_BYTES);
    const end = put(value, this.#block.bytes, this.#end);
    if (end < 0) return false;
    this.#end = end;
    return true;
  }

  /** Adds text content, escaped. */
  text(value: string): void {
    const most = value.length * MOST_BYTES_PER_UNIT;
    if (this.#end + most > this.#block.bytes.length) this.#grow(most);
    const { bytes } = this.#block;
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
  take(): Pick<HttpResponse, 'body' | 'release'> {
    const block = this.#block;
    const body = block.bytes.subarray(0, this.#end);
    // Fresh memory costs a long answer a third of its time: the system gives it page by page.
    this.#block = this.#free.pop() ?? new Block(START_BYTES);
    this.#end = 0;
    if (block.bytes.length > KEPT_BYTES) return { body };
    return {
      body,
      release: () => {
        if (this.#free.length < MOST_KEPT) this.#free.push(block);
      },
    };
  }

  /** Text from its first character on that is to be escaped, or that is half of a character. */
  #difficult(value: string): void {
    const text = escapeText(value);
    const most = text.length * MOST_BYTES_PER_UNIT;
    if (this.#end + most > this.#block.bytes.length) this.#grow(most);
    this.#end += this.#block.bytes.write(text, this.#end, 'utf8');
  }

  #grow(missing: number): void {
    const { bytes } = this.#block;
    this.#block = new Block(Math.max(bytes.length * 2, this.#end + missing));
    bytes.copy(this.#block.bytes, 0, 0, this.#end);
  }
}
