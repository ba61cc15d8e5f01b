import { MINUS, MOST_PUT_BYTES, NOT_PUT, POINT, trimNumber, ZERO } from './ascii-text';
import { BAD_FORMAT, outOfRange, ValueError } from './value-error';

const XML_FORM = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))$/;
/** Thousands may be parted anywhere before the point, and the sign may stand behind. */
const FORM_FORM = /^([+-]?)(?:([0-9][0-9,]*)(?:\.([0-9]*))?|\.([0-9]+))(?:[\t-\r ]*([+-]))?$/;

/** .NET keeps this many digits of a text and forgets the others. */
const KEPT_DIGITS = 50;
const MOST_SCALE = 28;
/** The number without a point may be this at most: 96 bits. */
const MOST = 2n ** 96n - 1n;
const TENTH = MOST / 10n;

/** The form in which values are written. */
const WRITTEN = /^-?[0-9]+(?:\.[0-9]+)?$/;
const NINE = 0x39;

/** The text of a value, or undefined for a text that is none. */
export function writeDecimal(text: string): string | undefined {
  return WRITTEN.test(text) ? text : undefined;
}

/** Puts a value: the text as it stands, once it is known to be one. */
export function putDecimalText(text: string, bytes: Uint8Array, at: number): number {
  const { length } = text;
  if (length > MOST_PUT_BYTES) return NOT_PUT;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (start === 1) bytes[at] = MINUS;
  // Digits stand before the one point, and behind it.
  let point = -1;
  for (let index = start; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === POINT && point < 0 && index > start) point = index;
    else if (code < ZERO || code > NINE) return NOT_PUT;
    bytes[at + index] = code;
  }
  return length === start || point === length - 1 ? NOT_PUT : at + length;
}

/** Reads a decimal as XML Schema has it. @throws ValueError */
export function readXmlDecimal(text: string): string {
  if (isCanonical(text)) return text;
  const match = XML_FORM.exec(trimNumber(text));
  if (match === null) throw new ValueError(BAD_FORMAT);
  const [, sign, whole = '', fraction = '', only = ''] = match;
  return canonical(sign === '-', whole, fraction + only);
}

/** So many digits always fit. */
const FITTING_DIGITS = 28;

/**
 * Whether a text is surely as .NET would write it: digits without zeros before them, and a point with some behind it.
 * So are nearly all, and to look costs a tenth of taking the number apart.
 */
function isCanonical(text: string): boolean {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (length - start > FITTING_DIGITS || !isWholeStart(text, start)) return false;
  let point = -1;
  // What is not zero needs its sign.
  let isZero = true;
  for (let index = start; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === POINT && point < 0) point = index;
    else if (code < ZERO || code > NINE) return false;
    else if (code !== ZERO) isZero = false;
  }
  return point !== length - 1 && !(isZero && start === 1);
}

/** Whether a digit comes, and no zero before another one. */
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
 * A decimal as .NET writes it: as many digits behind the point as were given, up to 28, and 96 bits in all; what does
 * not fit is rounded, half to even.
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
  if (scale > MOST_SCALE + 1) throw outOfRange('a Decimal');
  return withPoint(isNegative, ...fitted(digits, scale));
}

/** The digits that fit, as a number, and how many of them stand behind the point. */
function fitted(digits: string, scale: number): [number: bigint, behind: number] {
  let value = 0n;
  let at = 0;
  let left = scale;
  while ((left > 0 || (at < digits.length && left > -MOST_SCALE)) && takes(value, digits.charCodeAt(at))) {
    value = value * 10n + BigInt(digits.charAt(at) || '0');
    at += 1;
    left -= 1;
  }
  if (roundsUp(digits, at)) {
    value += 1n;
    if (value > MOST) {
      value = TENTH + 1n;
      left += 1;
    }
  }
  if (left > 0) throw outOfRange('a Decimal');
  return left < -MOST_SCALE ? [0n, MOST_SCALE] : [value, -left];
}

/** Whether one more digit fits into 96 bits; behind the last one zeros are meant. */
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
  return behind > 0 ? `0.${'0'.repeat(Math.min(behind, MOST_SCALE))}` : '0';
}

function withPoint(isNegative: boolean, value: bigint, behind: number): string {
  if (value === 0n) return zero(behind);
  const text = String(value).padStart(behind + 1, '0');
  const point = text.length - behind;
  const unsigned = behind === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
  return isNegative ? `-${unsigned}` : unsigned;
}
