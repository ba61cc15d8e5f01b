import { asciiTable, NOT_PUT } from './ascii-text';
import { guidOfStructure } from './guid-structure';
import { readHex, UNRECOGNIZED_GUID } from './hex';
import { ValueError } from './value-error';

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
 * Reads a Guid in any of the forms that .NET's constructor takes: 32 digits; with dashes, in brackets or not; and as a
 * structure of numbers.
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

const DASH = 0x2d;
/** Digits in lower case, by their codes. */
const DIGITS = asciiTable((character) => (HEX.test(character) ? character.toLowerCase() : undefined));

/** Puts a value in lower case. */
export function putGuid(text: string, bytes: Uint8Array, at: number): number {
  if (text.length !== DASHED) return NOT_PUT;
  for (let index = 0; index < DASHED; index += 1) {
    const code = writtenCode(text, index);
    if (code === 0) return NOT_PUT;
    bytes[at + index] = code;
  }
  return at + DASHED;
}

/** What the character at a place is written as; 0 for one that does not belong there. */
function writtenCode(text: string, index: number): number {
  const code = text.charCodeAt(index);
  const isDash = index === 8 || index === 13 || index === 18 || index === 23;
  return isDash ? (code === DASH ? DASH : 0) : (DIGITS[code] ?? 0);
}

/** Whether a text has the form in which values are written. */
export function isGuid(text: string): boolean {
  if (text.length !== DASHED) return false;
  let index = 0;
  while (index < DASHED && writtenCode(text, index) !== 0) index += 1;
  return index === DASHED;
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
