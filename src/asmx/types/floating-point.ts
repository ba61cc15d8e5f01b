import { withoutZeros } from '../contract';
import { BAD_FORMAT, outOfRange, ValueError } from './value-error';
import { trimNumber, trimXml } from './white-space';

const XML_NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const FORM_NUMBER = /^[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** Words of .NET for what is no finite number; they are read wherever numbers are. */
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
  /** Digits by which a number is written, where those are enough to read it back; and where they are not. */
  readonly digits: readonly [short: number, long: number];
}

export const DOUBLE: Precision = { type: 'a Double', round: (value) => value, digits: [15, 17] };
export const SINGLE: Precision = { type: 'a Single', round: Math.fround, digits: [7, 9] };

/** Reads a number as XML Schema has it; .NET's own words for infinity are taken too. @throws ValueError */
export function readXmlNumber(text: string, precision: Precision): number {
  const trimmed = trimXml(text);
  if (trimmed === 'INF') return Infinity;
  if (trimmed === '-INF') return -Infinity;
  const value = read(trimmed, XML_NUMBER, precision);
  return value === 0 && trimmed.startsWith('-') ? -0 : value;
}

/** Reads a number as Double.Parse does. @throws ValueError */
export function readFormNumber(text: string, precision: Precision): number {
  return read(text, FORM_NUMBER, precision);
}

function read(text: string, form: RegExp, { type, round }: Precision): number {
  const trimmed = trimNumber(text);
  const word = WORDS.get(trimmed);
  if (word !== undefined) return word;
  if (!form.test(trimmed)) throw new ValueError(BAD_FORMAT);
  const value = round(Number(trimmed.replaceAll(',', '')));
  if (!Number.isFinite(value)) throw outOfRange(type);
  // .NET Framework reads no minus zero.
  return value === 0 ? 0 : value;
}

/** Writes a number as .NET Framework does: with the digits it takes to read it back, 15 or 17 of them, 7 or 9. */
export function writeNumber(value: number, { round, digits: [short, long] }: Precision): string {
  if (Number.isNaN(value)) return 'NaN';
  const rounded = round(value);
  if (!Number.isFinite(rounded)) return rounded > 0 ? 'INF' : '-INF';
  if (Object.is(rounded, -0)) return '-0';
  const plain = String(rounded);
  if (isWrittenAlike(rounded, plain, short)) return plain;
  const quick = shortDecimal(rounded, short);
  if (quick !== undefined && round(quick) === rounded) return String(quick);
  const brief = rounded.toExponential(short - 1);
  return round(Number(brief)) === rounded
    ? general(brief, short)
    : general(rounded.toExponential(long - 1), long);
}

/**
 * Whether a number's shortest form, which is JavaScript's, is .NET's too: it has no more digits than the fewest that
 * .NET tries, and no exponent. It costs a tenth of asking for so many digits.
 */
function isWrittenAlike(value: number, shortest: string, digits: number): boolean {
  const size = Math.abs(value);
  if (size >= 10 ** digits || (size < 0.0001 && size !== 0)) return false;
  return shortest.length <= digits || (shortest.length === digits + 1 && !Number.isInteger(value));
}

/** Numbers of no exponent in .NET's general format are at least the first of these; each is ten times the one before. */
const SIZES = [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6];
/** Up to so many digits a number of SINGLE precision, times a power of ten, is exact: 24 bits and theirs make less than 53. */
const MOST_EXACT_DIGITS = 7;

/**
 * The number of so many digits that is nearest, for a third of what asking for them costs; undefined where they are too
 * many, or its size has an exponent.
 */
function shortDecimal(value: number, digits: number): number | undefined {
  const size = Math.abs(value);
  const place = SIZES.findLastIndex((least) => size >= least);
  if (digits > MOST_EXACT_DIGITS || place < 0 || size >= 10 ** digits) return undefined;
  const scale = 10 ** (digits + 3 - place);
  return (Math.sign(value) * Math.round(size * scale)) / scale;
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
