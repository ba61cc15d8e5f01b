import { BAD_FORMAT, outOfRange, ValueError } from './value-error';
import { trimNumber } from './white-space';

/** One of .NET's integers. */
export interface IntegerRange {
  /** As messages have it: `an Int16`. */
  readonly type: string;
  readonly least: number | bigint;
  readonly most: number | bigint;
  /** The wider type by which .NET reads it; the message of its range comes behind. */
  readonly by?: IntegerRange;
}

export const INT32 = { type: 'an Int32', least: -(2 ** 31), most: 2 ** 31 - 1 };
export const INT64 = { type: 'an Int64', least: -(2n ** 63n), most: 2n ** 63n - 1n };
export const INT16 = { type: 'an Int16', least: -(2 ** 15), most: 2 ** 15 - 1, by: INT32 };
export const BYTE = { type: 'an unsigned byte', least: 0, most: 255, by: INT32 };
const UINT32 = { type: 'a UInt32', least: 0, most: 2 ** 32 - 1 };
export const UINT16 = { type: 'a UInt16', least: 0, most: 2 ** 16 - 1, by: UINT32 };

const SIGNED = /^([+-]?)([0-9]+)$/;
const UNSIGNED = /^()([0-9]+)$/;
/** Digits that a number surely holds; what has more is in no range. */
const SAFE_DIGITS = 15;
const MOST_DIGITS = 20;

/**
 * Reads an integer, with white space around it and zeros before it.
 *
 * @param sign whether one may stand before it
 * @throws ValueError
 */
export function readInteger(text: string, range: IntegerRange, sign: 'signed' | 'unsigned'): number {
  return Number(read(text, range, sign));
}

/** The same, of 64 bits. */
export function readLong(text: string): bigint {
  return BigInt(read(text, INT64, 'signed'));
}

const MINUS = 0x2d;
const ZERO = 0x30;

/** A number of few digits and nothing else but a minus sign, as nearly all are; undefined for any other text. */
function readPlain(text: string): number | undefined {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (text.length === start || text.length > SAFE_DIGITS) return undefined;
  let size = 0;
  for (let index = start; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    size = size * 10 + digit;
  }
  // Not minus zero.
  return start === 0 ? size : 0 - size;
}

function read(text: string, range: IntegerRange, sign: 'signed' | 'unsigned'): number | bigint {
  const plain = readPlain(text);
  // No sign may stand before one without, not even before zero.
  if (plain !== undefined && plain >= range.least && plain <= range.most && (sign === 'signed' || plain > 0))
    return plain;
  const match = (sign === 'signed' ? SIGNED : UNSIGNED).exec(trimNumber(text));
  if (match === null) throw new ValueError(BAD_FORMAT);
  const [, minus, zeros = ''] = match;
  const digits = zeros.replace(/^0+/, '');
  // BigInt takes quadratic time for thousands of digits.
  if (digits.length > MOST_DIGITS) throw beyond(range, true);
  const size = digits.length <= SAFE_DIGITS ? Number(digits) : BigInt(digits);
  // Not minus zero.
  const value = minus === '-' && size > 0 ? -size : size;
  if (value < range.least || value > range.most) {
    const { by } = range;
    throw beyond(range, by !== undefined && (value < by.least || value > by.most));
  }
  return value;
}

function beyond(range: IntegerRange, isBeyondWider: boolean): ValueError {
  const { type, by } = range;
  return outOfRange(type, isBeyondWider && by !== undefined ? outOfRange(by.type) : undefined);
}
