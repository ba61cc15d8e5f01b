import type { HttpResponse } from '../http/response';
import { escapeText } from '../xml/xml-characters';

const START_BYTES = 64 * 1024;
/** Returned memory is reused for later answers, up to this block size and number. */
const KEPT_BYTES = 1024 * 1024;
const MAX_KEPT = 16;
/** Maximum UTF-8 length of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

const ASCII_END = 0x80;
const TWO_BYTES_END = 0x800;
const SURROGATES = 0xd800;

/** Markup is copied in words of this many bytes. */
const WORD_BYTES = 8;

/** Encoded markup that is written repeatedly. */
export interface Markup {
  /** UTF-8 as little-endian 64-bit numbers; the last one is padded with zeros. */
  readonly words: Float64Array;
  /** Length in bytes. */
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

/** ASCII characters that need no escaping in text content, by code. */
const PLAIN = Uint8Array.from({ length: ASCII_END }, (_, code) => {
  const character = String.fromCharCode(code);
  return escapeText(character) === character ? 1 : 0;
});

/**
 * Memory in which a long answer is assembled as UTF-8: encoding each value in place costs a fifth of joining
 * strings, escaping them and encoding the whole.
 *
 * Serves one answer after the other.
 */
export class MarkupBuffer {
  #block = new Block(START_BYTES);
  /** Current end of the answer in progress. */
  #end = 0;
  readonly #free: Block[] = [];

  /** Begins an answer; discards one left unfinished by an error. */
  begin(): void {
    this.#end = 0;
  }

  /**
   * Adds markup. Markup is mostly a few words, for which a loop costs half of a call into the engine. No word
   * is NaN, whose bits the engine might change: UTF-8 never has 0xF0 or more before 0x7F or 0xFF.
   */
  markup({ words, length }: Markup): void {
    const most = words.length * WORD_BYTES;
    if (this.#end + most > this.#block.bytes.length) this.#grow(most);
    const { view } = this.#block;
    let offset = this.#end;
    let index = 0;
    // An iterator would cost a quarter more.
    while (index < words.length) {
      view.setFloat64(offset, words[index] ?? 0, true);
      offset += WORD_BYTES;
      index += 1;
    }
    this.#end += length;
  }

  /** Length of the answer in progress, in bytes. */
  get length(): number {
    return this.#end;
  }

  /** Takes back what was added since the answer had a length. */
  cutTo(length: number): void {
    this.#end = length;
  }

  /** Adds text content, escaped. */
  text(value: string): void {
    const most = value.length * MAX_BYTES_PER_UNIT;
    if (this.#end + most > this.#block.bytes.length) this.#grow(most);
    const { bytes } = this.#block;
    let end = this.#end;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code < ASCII_END) {
        if (PLAIN[code] !== 1) {
          this.#end = end;
          this.escaped(escapeText(value.slice(index)));
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
        this.escaped(escapeText(value.slice(index)));
        return;
      }
    }
    this.#end = end;
  }

  /** Adds text that is escaped already. */
  escaped(text: string): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (this.#end + most > this.#block.bytes.length) this.#grow(most);
    this.#end += this.#block.bytes.write(text, this.#end, 'utf8');
  }

  /** Returns everything added since the beginning. */
  take(): Pick<HttpResponse, 'body' | 'release'> {
    const block = this.#block;
    const body = block.bytes.subarray(0, this.#end);
    // Fresh memory costs a third of a long answer's time: the system supplies it page by page.
    this.#block = this.#free.pop() ?? new Block(START_BYTES);
    this.#end = 0;
    if (block.bytes.length > KEPT_BYTES) return { body };
    return {
      body,
      release: () => {
        if (this.#free.length < MAX_KEPT) this.#free.push(block);
      },
    };
  }

  #grow(missing: number): void {
    const { bytes } = this.#block;
    this.#block = new Block(Math.max(bytes.length * 2, this.#end + missing));
    bytes.copy(this.#block.bytes, 0, 0, this.#end);
  }
}
