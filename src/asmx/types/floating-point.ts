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
