import { readHex } from './hex';
import { ValueError } from './value-error';

const BRACE = 'Expected {0xdddddddd, etc}.';
// .NET does not put anything into the gap of this text.
const PREFIX = "Expected hex 0x in '{0}'.";
const COMMA =
  "Could not find a comma, or the length between the previous token and the comma was zero (i.e., '0x,'etc.).";
const BRACE_BEHIND =
  "Could not find a brace, or the length between the previous token and the brace was zero (i.e., '0x,'etc.).";
const END_BRACE = 'Could not find the ending brace.';
const EXTRA = 'Additional non-parsable characters are at the end of the string.';
const TOO_LARGE = 'Value was either too large or too small for a UInt32.';
const NO_BYTE = 'Value was either too large or too small for an unsigned byte.';

const BYTES = 8;

/**
 * Reads a Guid in the form `{0x1,0x2,0x3,{0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb}}`, without blanks. Of the second and third
 * number the upper digits beyond four count for nothing.
 *
 * @returns 32 digits
 * @throws ValueError
 */
export function guidOfStructure(text: string): string {
  if (!text.startsWith('{')) throw new ValueError(BRACE);
  const numbers = new NumberReader(text);
  const parts = [8, 4, 4].map((length) => hex(numbers.next(',', COMMA), length));
  if (!numbers.skip('{')) throw new ValueError(BRACE);
  for (let count = 1; count <= BYTES; count += 1) {
    const number = count < BYTES ? numbers.next(',', COMMA) : numbers.next('}', BRACE_BEHIND);
    if (number > 0xff) throw new ValueError(NO_BYTE);
    parts.push(hex(number, 2));
  }
  if (!numbers.skip('}')) throw new ValueError(END_BRACE);
  if (!numbers.isAtEnd) throw new ValueError(EXTRA);
  return parts.join('');
}

/** Reads one number after the other, each behind a character of punctuation. */
class NumberReader {
  readonly #text: string;
  /** The punctuation behind what was read last. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length - 1;
  }

  /** @param missing the message where it does not end with that */
  next(end: ',' | '}', missing: string): number {
    const start = this.#at + 1;
    if (!/^0x$/i.test(this.#text.slice(start, start + 2))) throw new ValueError(PREFIX);
    const behind = this.#text.indexOf(end, start + 2);
    if (behind <= start + 2) throw new ValueError(missing);
    this.#at = behind;
    return wholeNumber(this.#text.slice(start + 2, behind));
  }

  skip(punctuation: '{' | '}'): boolean {
    if (this.#text.charAt(this.#at + 1) !== punctuation) return false;
    this.#at += 1;
    return true;
  }
}

function wholeNumber(text: string): number {
  const { digits, length } = readHex(text);
  const value = parseInt(digits, 16);
  if (value > 0xffff_ffff) throw new ValueError(TOO_LARGE);
  if (length < text.length) throw new ValueError(EXTRA);
  return value;
}

function hex(number: number, length: number): string {
  return number.toString(16).padStart(length, '0').slice(-length);
}
