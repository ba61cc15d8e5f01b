import { BAD_FORMAT, outOfRange, ValueError } from './value-error';
import { trimNumber } from './white-space';

/** One of .NET's integers. */
export interface IntegerRange {
  /** As messages have it: `an Int16`. */
  readonly type: string;
  readonly least: bigint;
  readonly most: bigint;
  /** The wider type by which .NET reads it; the message of its range comes behind. */
  readonly by?: IntegerRange;
}

export const INT32 = { type: 'an Int32', least: -(2n ** 31n), most: 2n ** 31n - 1n };
export const INT64 = { type: 'an Int64', least: -(2n ** 63n), most: 2n ** 63n - 1n };
export const INT16 = { type: 'an Int16', least: -(2n ** 15n), most: 2n ** 15n - 1n, by: INT32 };
export const BYTE = { type: 'an unsigned byte', least: 0n, most: 255n, by: INT32 };
const UINT32 = { type: 'a UInt32', least: 0n, most: 2n ** 32n - 1n };
export const UINT16 = { type: 'a UInt16', least: 0n, most: 2n ** 16n - 1n, by: UINT32 };

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

function read(text: string, range: IntegerRange, sign: 'signed' | 'unsigned'): number | bigint {
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
