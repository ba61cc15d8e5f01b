import { withoutZeros } from '../contract/values';
import { trimNumber, trimXml } from './ascii-text';
import { BAD_FORMAT, outOfRange, ValueError } from './value-error';

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

const XML_NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const FORM_NUMBER = /^[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** Words of .NET for what is no finite number; they are readFloat wherever numbers are. */
const WORDS = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** One of the two sizes of floating-point numbers. */
export interface Precision {
  /** As messages have it. */
  readonly type: string;
  readonly round: (value: number) => number;
  /** Digits by which a number is written, where those are enough to readFloat it back; and where they are not. */
  readonly digits: readonly [short: number, long: number];
}

export const DOUBLE: Precision = { type: 'a Double', round: (value) => value, digits: [15, 17] };
export const SINGLE: Precision = { type: 'a Single', round: Math.fround, digits: [7, 9] };

/** Reads a number as XML Schema has it; .NET's own words for infinity are taken too. @throws ValueError */
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
  // .NET Framework reads no minus zero.
  return value === 0 ? 0 : value;
}

/** Writes a number as .NET Framework does: with the digits it takes to readFloat it back, 15 or 17 of them, 7 or 9. */
export function writeNumber(value: number, { round, digits: [short, long] }: Precision): string {
  if (Number.isNaN(value)) return 'NaN';
  const rounded = round(value);
  if (!Number.isFinite(rounded)) return rounded > 0 ? 'INF' : '-INF';
  if (Object.is(rounded, -0)) return '-0';
  const brief = rounded.toExponential(short - 1);
  return round(Number(brief)) === rounded
    ? general(brief, short)
    : general(rounded.toExponential(long - 1), long);
}

/** .NET's general format: with an exponent from 0.00001 down, and from where the digits end up. */
function general(scientific: string, precision: number): string {
  const [mantissa = '', exponentText = ''] = scientific.split('e');
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = withoutZeros(mantissa.replace(/[-.]/g, ''));
  if (exponent >= precision || exponent < -4) {
    const point = digits.length > 1 ? `.${digits.slice(1)}` : '';
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${digits.charAt(0)}${point}E${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}
