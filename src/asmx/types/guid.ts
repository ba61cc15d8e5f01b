import { readHex, UNRECOGNIZED_GUID } from './binary';
import { ValueError } from './value-error';

const BRACE = 'Expected {0xdddddddd, etc}.';
// .NET leaves the placeholder of this text unfilled.
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
 * Reads a Guid in the form `{0x1,0x2,0x3,{0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb}}`, without blanks. Digits of the
 * second and third number above the lower four are ignored.
 *
 * @returns 32 digits
 * @throws ValueError
 */
function guidOfStructure(text: string): string {
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

/** Reads successive numbers, each after a punctuation character. */
class NumberReader {
  readonly #text: string;
  /** Offset of the last punctuation character read. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length - 1;
  }

  /** @param missing message if the number does not end with `end` */
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

const HEX = /^[0-9a-f]+$/i;
const LENGTH = 'Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).';
const CHARACTERS = 'Guid string should only contain hexadecimal characters.';
const DASHES = 'Dashes are in the wrong position for GUID parsing.';

const BRACKETS = new Map([
  ['{', '}'],
  ['(', ')'],
]);
const DASHED = 36;
const PART_LENGTHS = [8, 4, 4, 4, 12];
const LAST_LENGTH = 12;
const DASH_PLACES = [8, 13, 18, 23];

/**
 * Reads a Guid in any form that .NET's constructor accepts: 32 digits; with dashes, with or without brackets;
 * and as a structure of numbers.
 *
 * @returns 36 characters in lower case
 * @throws ValueError
 */
export function readGuid(text: string): string {
  if (isGuid(text)) return text.toLowerCase();
  const trimmed = text.trim();
  if (trimmed === '') throw new ValueError(UNRECOGNIZED_GUID);
  if (trimmed.includes('-')) return fromDashed(trimmed);
  if (trimmed.includes('{')) return joined(guidOfStructure(trimmed.replace(/\s/g, '')));
  if (trimmed.length !== 32) throw new ValueError(LENGTH);
  if (!HEX.test(trimmed)) throw new ValueError(CHARACTERS);
  return joined(trimmed);
}

const WRITTEN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns true for a text in the form of written values. */
export function isGuid(text: string): boolean {
  return WRITTEN.test(text);
}

function fromDashed(text: string): string {
  const close = BRACKETS.get(text.charAt(0));
  if (text.length !== (close === undefined ? DASHED : DASHED + 2)) throw new ValueError(LENGTH);
  if (close !== undefined && !text.endsWith(close)) throw new ValueError(LENGTH);
  const bare = close === undefined ? text : text.slice(1, -1);
  if (DASH_PLACES.some((place) => bare.charAt(place) !== '-')) throw new ValueError(DASHES);
  let at = 0;
  const digits = PART_LENGTHS.map((length) => {
    const part = readHex(bare.slice(at, (at += length)));
    if (part.length !== length) throw new ValueError(length === LAST_LENGTH ? LENGTH : CHARACTERS);
    at += 1;
    return part.digits.padStart(length, '0');
  });
  return joined(digits.join(''));
}

function joined(digits: string): string {
  let at = 0;
  return PART_LENGTHS.map((length) => digits.slice(at, (at += length)))
    .join('-')
    .toLowerCase();
}
