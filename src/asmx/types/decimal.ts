import { trimNumber } from './trim';
import { BAD_FORMAT, outOfRange, ValueError } from './value-error';

const XML_FORM = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))$/;
/** Thousands separators may be anywhere before the point, and the sign may come last. */
const FORM_FORM = /^([+-]?)(?:([0-9][0-9,]*)(?:\.([0-9]*))?|\.([0-9]+))(?:[\t-\r ]*([+-]))?$/;

/** Number of digits that .NET keeps of a text. */
const KEPT_DIGITS = 50;
const MAX_SCALE = 28;
/** Maximum of the number without its point: 96 bits. */
const MAX_COEFFICIENT = 2n ** 96n - 1n;
const TENTH = MAX_COEFFICIENT / 10n;

/** Form of written values. */
const WRITTEN = /^-?[0-9]+(?:\.[0-9]+)?$/;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Returns the text of a value, or undefined for an invalid text. */
export function writeDecimal(text: string): string | undefined {
  return WRITTEN.test(text) ? text : undefined;
}

/** Reads a decimal as XML Schema defines it. @throws ValueError */
export function readXmlDecimal(text: string): string {
  if (isCanonical(text)) return text;
  const match = XML_FORM.exec(trimNumber(text));
  if (match === null) throw new ValueError(BAD_FORMAT);
  const [, sign, whole = '', fraction = '', only = ''] = match;
  return canonical(sign === '-', whole, fraction + only);
}

/** Number of digits that always fit. */
const FITTING_DIGITS = 28;

/**
 * Returns true if a text is certainly in .NET's own form: digits without leading zeros, and any point
 * followed by digits. Nearly all are, and this check costs a tenth of parsing the number.
 */
function isCanonical(text: string): boolean {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (length - start > FITTING_DIGITS || !isWholeStart(text, start)) return false;
  let point = -1;
  // A nonzero number keeps its sign.
  let isZero = true;
  for (let index = start; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === POINT && point < 0) point = index;
    else if (code < ZERO || code > NINE) return false;
    else if (code !== ZERO) isZero = false;
  }
  return point !== length - 1 && !(isZero && start === 1);
}

/** Returns true for a digit that is not a zero before another one. */
function isWholeStart(text: string, start: number): boolean {
  const first = text.charCodeAt(start);
  if (first === ZERO) return text.length === start + 1 || text.charCodeAt(start + 1) === POINT;
  return first > ZERO && first <= NINE;
}

/** Reads a decimal as Decimal.Parse does. @throws ValueError */
export function readFormDecimal(text: string): string {
  const match = FORM_FORM.exec(trimNumber(text));
  if (match === null) throw new ValueError(BAD_FORMAT);
  const [, sign = '', whole = '', fraction = '', only = '', behind] = match;
  if (sign !== '' && behind !== undefined) throw new ValueError(BAD_FORMAT);
  return canonical(sign === '-' || behind === '-', whole.replaceAll(',', ''), fraction + only);
}

/**
 * Formats a decimal as .NET does: with as many decimal places as given, up to 28, and 96 bits in all; more is
 * rounded half to even.
 */
function canonical(isNegative: boolean, whole: string, fraction: string): string {
  const integer = whole.replace(/^0+/, '');
  // The number is 0.digits times ten to the scale.
  let digits = integer + fraction;
  let scale = integer.length;
  if (scale === 0) {
    digits = fraction.replace(/^0+/, '');
    scale = digits.length - fraction.length;
  }
  digits = digits.slice(0, KEPT_DIGITS);
  if (digits === '') return zero(-scale);
  if (scale > MAX_SCALE + 1) throw outOfRange('a Decimal');
  return withPoint(isNegative, ...fitted(digits, scale));
}

/** Returns the digits that fit, as a number, and how many of them are decimal places. */
function fitted(digits: string, scale: number): [number: bigint, behind: number] {
  let value = 0n;
  let at = 0;
  let left = scale;
  while ((left > 0 || (at < digits.length && left > -MAX_SCALE)) && takes(value, digits.charCodeAt(at))) {
    value = value * 10n + BigInt(digits.charAt(at) || '0');
    at += 1;
    left -= 1;
  }
  if (roundsUp(digits, at)) {
    value += 1n;
    if (value > MAX_COEFFICIENT) {
      value = TENTH + 1n;
      left += 1;
    }
  }
  if (left > 0) throw outOfRange('a Decimal');
  return left < -MAX_SCALE ? [0n, MAX_SCALE] : [value, -left];
}

/** Returns true if one more digit fits into 96 bits; the digits after it count as zeros. */
function takes(value: bigint, code: number): boolean {
  return value < TENTH || (value === TENTH && !(code > 0x35));
}

function roundsUp(digits: string, at: number): boolean {
  const next = digits.charAt(at);
  if (next < '5' || next === '') return false;
  const isHalf = next === '5' && /^0*$/.test(digits.slice(at + 1));
  return !isHalf || Number(digits.charAt(at - 1)) % 2 === 1;
}

function zero(behind: number): string {
  return behind > 0 ? `0.${'0'.repeat(Math.min(behind, MAX_SCALE))}` : '0';
}

function withPoint(isNegative: boolean, value: bigint, behind: number): string {
  if (value === 0n) return zero(behind);
  const text = String(value).padStart(behind + 1, '0');
  const point = text.length - behind;
  const unsigned = behind === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
  return isNegative ? `-${unsigned}` : unsigned;
}
