import { ValueError } from './value-error';

const HEX = /^[0-9a-f]+$/i;
const LENGTH = 'Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).';
const CHARACTERS = 'Guid string should only contain hexadecimal characters.';
const DASHES = 'Dashes are in the wrong position for GUID parsing.';
const NO_DIGITS = 'Could not find any recognizable digits.';
const COMMA =
  "Could not find a comma, or the length between the previous token and the comma was zero (i.e., '0x,'etc.).";

const BRACKETS = new Map([
  ['{', '}'],
  ['(', ')'],
]);
const DASHED = 36;
/** The digits of its parts where none has dashes or every part a prefix. */
const PART_LENGTHS = [8, 4, 4, 4, 12];
const STRUCTURE_LENGTHS = [8, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2];
const STRUCTURE = /^\{([^{}]*),\{([^{}]*)\}\}$/;

/**
 * Reads a Guid in any of the forms that .NET's constructor takes: 32 digits; with dashes, in brackets or not; and as a
 * structure of numbers.
 *
 * @returns 36 characters in lower case
 * @throws ValueError
 */
export function readGuid(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ValueError('Unrecognized Guid format.');
  if (trimmed.includes('-')) return fromDashed(trimmed);
  if (trimmed.includes('{')) return fromStructure(trimmed.replace(/\s/g, ''));
  if (trimmed.length !== 32) throw new ValueError(LENGTH);
  if (!HEX.test(trimmed)) throw new ValueError(CHARACTERS);
  return joined(trimmed);
}

/** Whether a text has the form in which values are written. */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function fromDashed(text: string): string {
  const close = BRACKETS.get(text.charAt(0));
  const bare = close !== undefined && text.endsWith(close) ? text.slice(1, -1) : text;
  if (bare.length !== DASHED) throw new ValueError(LENGTH);
  const parts = bare.split('-');
  if (!PART_LENGTHS.every((length, index) => parts[index]?.length === length)) throw new ValueError(DASHES);
  const last = PART_LENGTHS.length - 1;
  return joined(parts.map((part, index) => (index === last ? lastPart(part) : firstPart(part))).join(''));
}

/** All but the last part may begin with a plus sign and `0x`, as .NET's numbers in hexadecimal do. */
function firstPart(part: string): string {
  const digits = part.replace(/^\+?(?:0x)?/i, '');
  if (!/^[0-9a-f]/i.test(digits)) throw new ValueError(NO_DIGITS);
  if (!HEX.test(digits)) throw new ValueError(CHARACTERS);
  return digits.padStart(part.length, '0');
}

function lastPart(part: string): string {
  if (!HEX.test(part)) throw new ValueError(LENGTH);
  return part;
}

function fromStructure(text: string): string {
  if (!text.startsWith('{')) throw new ValueError('Expected {0xdddddddd, etc}.');
  if (!/^\{0x/i.test(text)) throw new ValueError("Expected hex 0x in '{0xdddddddd, etc}'.");
  const [, outer = '', inner = ''] = STRUCTURE.exec(text) ?? [];
  const numbers = [...outer.split(','), ...inner.split(',')];
  if (numbers.length !== STRUCTURE_LENGTHS.length) throw new ValueError(COMMA);
  return joined(numbers.map((number, index) => part(number, STRUCTURE_LENGTHS[index] ?? 0)).join(''));
}

function part(number: string, length: number): string {
  const zeros = /^0x([0-9a-f]+)$/i.exec(number)?.[1];
  const digits = zeros?.replace(/^0+/, '');
  if (digits === undefined || digits.length > length) throw new ValueError(COMMA);
  return digits.padStart(length, '0');
}

function joined(digits: string): string {
  let at = 0;
  return PART_LENGTHS.map((length) => digits.slice(at, (at += length)))
    .join('-')
    .toLowerCase();
}
