import { withoutZeros } from '../contract/date-time';
import { trimNumber, trimXml } from './trim';
import { BAD_FORMAT, outOfRange, ValueError } from './value-error';

export interface IntegerRange {
  /** Type for messages: `an Int16`. */
  readonly type: string;
  readonly least: number | bigint;
  readonly most: number | bigint;
  /** The wider type by which .NET reads it; the message about its range follows. */
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
/** Number of digits that a safe integer always holds; numbers with more are out of every range. */
const SAFE_DIGITS = 15;
const MAX_DIGITS = 20;

/**
 * Reads an integer, allowing white space around it and leading zeros.
 *
 * @param sign 'signed' if a sign is allowed
 * @throws ValueError
 */
export function readInteger(text: string, range: IntegerRange, sign: 'signed' | 'unsigned'): number {
  return Number(read(text, range, sign));
}

/** Reads a 64-bit integer; see {@link readInteger}. */
export function readLong(text: string): bigint {
  return BigInt(read(text, INT64, 'signed'));
}

const MINUS = 0x2d;
const ZERO = 0x30;

/**
 * Reads a short number of digits with an optional minus sign, the usual case; undefined for any other text.
 */
function readPlain(text: string): number | undefined {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (text.length === start || text.length > SAFE_DIGITS) return undefined;
  let size = 0;
  for (let index = start; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    size = size * 10 + digit;
  }
  // Avoids minus zero.
  return start === 0 ? size : 0 - size;
}

function read(text: string, range: IntegerRange, sign: 'signed' | 'unsigned'): number | bigint {
  const plain = readPlain(text);
  // Unsigned numbers allow no sign, not even before zero.
  if (plain !== undefined && plain >= range.least && plain <= range.most && (sign === 'signed' || plain > 0))
    return plain;
  const match = (sign === 'signed' ? SIGNED : UNSIGNED).exec(trimNumber(text));
  if (match === null) throw new ValueError(BAD_FORMAT);
  const [, minus, zeros = ''] = match;
  const digits = zeros.replace(/^0+/, '');
  // BigInt takes quadratic time for thousands of digits.
  if (digits.length > MAX_DIGITS) throw beyond(range, true);
  const size = digits.length <= SAFE_DIGITS ? Number(digits) : BigInt(digits);
  // Avoids minus zero.
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

const XML_NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const FORM_NUMBER = /^[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** .NET's words for values that are not finite numbers; they are read wherever numbers are. */
const WORDS = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** One of the two floating-point sizes. */
export interface Precision {
  /** Type for messages. */
  readonly type: string;
  readonly round: (value: number) => number;
  /** Number of digits written: `short` if those read back as the same number, else `long`. */
  readonly digits: readonly [short: number, long: number];
}

export const DOUBLE: Precision = { type: 'a Double', round: (value) => value, digits: [15, 17] };
export const SINGLE: Precision = { type: 'a Single', round: Math.fround, digits: [7, 9] };

/** Reads a number as XML Schema defines it; also accepts .NET's own words for infinity. @throws ValueError */
export function readXmlNumber(text: string, precision: Precision): number {
  const trimmed = trimXml(text);
  if (trimmed === 'INF') return Infinity;
  if (trimmed === '-INF') return -Infinity;
  const value = readFloat(trimmed, XML_NUMBER, precision);
  return value === 0 && trimmed.startsWith('-') ? -0 : value;
}

/** Reads a number as Double.Parse does. @throws ValueError */
export function readFormNumber(text: string, precision: Precision): number {
  return readFloat(text, FORM_NUMBER, precision);
}

function readFloat(text: string, form: RegExp, { type, round }: Precision): number {
  const trimmed = trimNumber(text);
  const word = WORDS.get(trimmed);
  if (word !== undefined) return word;
  if (!form.test(trimmed)) throw new ValueError(BAD_FORMAT);
  const value = round(Number(trimmed.replaceAll(',', '')));
  if (!Number.isFinite(value)) throw outOfRange(type);
  // .NET Framework does not read minus zero.
  return value === 0 ? 0 : value;
}

/**
 * Formats a number as .NET Framework does: with as many digits as it takes to read it back, 15 or 17 of them,
 * 7 or 9.
 */
export function writeNumber(value: number, { round, digits: [short, long] }: Precision): string {
  if (Number.isNaN(value)) return 'NaN';
  const rounded = round(value);
  if (!Number.isFinite(rounded)) return rounded > 0 ? 'INF' : '-INF';
  if (Object.is(rounded, -0)) return '-0';
  const brief = rounded.toPrecision(short);
  return round(Number(brief)) === rounded
    ? general(rounded, brief, short)
    : general(rounded, rounded.toPrecision(long), long);
}

/** Smallest number that .NET's general format writes without an exponent. */
const SMALLEST_PLAIN = 0.0001;

/**
 * Applies .NET's general format: without zeros at the end, and with an exponent below 0.0001 and for numbers
 * longer than the precision.
 *
 * @param rounded - the number rounded to `precision` digits
 */
function general(value: number, rounded: string, precision: number): string {
  const isPlain = value === 0 || (Math.abs(Number(rounded)) >= SMALLEST_PLAIN && !rounded.includes('e'));
  if (isPlain) return rounded.includes('.') ? trimmedFraction(rounded) : rounded;
  const [mantissa = '', exponent = ''] = value.toExponential(precision - 1).split('e');
  const size = exponent.slice(1).padStart(2, '0');
  return `${trimmedFraction(mantissa)}E${exponent.charAt(0)}${size}`;
}

/** Removes zeros at the end of a fraction, and its point if nothing is left of it. */
function trimmedFraction(text: string): string {
  const kept = withoutZeros(text);
  return kept.endsWith('.') ? kept.slice(0, -1) : kept;
}
