import type { Value } from '../contract/values';

/** Removes the white space around a number's text; .NET also ignores null characters at its end. */
export function trimNumber(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  let start = 0;
  while (start < end && isNumberSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isNumberSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Removes XML's white space around a text. */
export function trimXml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isXmlSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isXmlSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns true for white space in .NET's numbers: tab to carriage return, and the blank. */
function isNumberSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isXmlSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Writes a value's text directly into memory, without an intermediate string; none of its bytes need escaping in XML.
 *
 * @param at offset where it begins; {@link MAX_PUT_BYTES} bytes are available
 * @returns the offset after it, or {@link NOT_PUT} if {@link PlainTypeRow.write} must write the value
 */
export type Put = (value: Value, bytes: Uint8Array, at: number) => number;

/** Maximum length of a text written this way. */
export const MAX_PUT_BYTES = 64;
export const NOT_PUT = -1;

export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
const HUNDRED = 100;
/** Numbers from here on are written in two parts: the processor divides small integers much faster. */
const LARGE = 1e8;
const LARGE_DIGITS = 8;

// The digits of the numbers below a hundred.
const TENS = Uint8Array.from({ length: HUNDRED }, (_, number) => ZERO + Math.floor(number / 10));
const ONES = Uint8Array.from({ length: HUNDRED }, (_, number) => ZERO + (number % 10));

/** Returns an entry of a table, which the compiler cannot know to exist. */
function digit(table: Uint8Array, number: number): number {
  return table[number] ?? ZERO;
}

/** Writes a number below 100 as two digits. */
export function putTwo(number: number, bytes: Uint8Array, at: number): void {
  bytes[at] = digit(TENS, number);
  bytes[at + 1] = digit(ONES, number);
}

/** Writes an integer from 0 to 10 ** 9 - 1 with a fixed number of digits, zero-padded. */
export function putDigits(number: number, digits: number, bytes: Uint8Array, at: number): void {
  let rest = number;
  let place = at + digits;
  while (place - at >= 2) {
    const next = (rest / HUNDRED) | 0;
    place -= 2;
    putTwo(rest - next * HUNDRED, bytes, place);
    rest = next;
  }
  if (place > at) bytes[at] = ZERO + rest;
}

/** Writes a safe integer; returns the offset after it. */
export function putInteger(number: number, bytes: Uint8Array, at: number): number {
  let start = at;
  if (number < 0) {
    bytes[start] = MINUS;
    start += 1;
  }
  const size = Math.abs(number);
  if (size < LARGE) return putShort(size, bytes, start);
  const upper = Math.floor(size / LARGE);
  const middle = putShort(upper, bytes, start);
  putDigits(size - upper * LARGE, LARGE_DIGITS, bytes, middle);
  return middle + LARGE_DIGITS;
}

function putShort(size: number, bytes: Uint8Array, at: number): number {
  const digits = digitsOf(size);
  putDigits(size, digits, bytes, at);
  return at + digits;
}

function digitsOf(size: number): number {
  let digits = 1;
  for (let least = 10; size >= least; least *= 10) digits += 1;
  return digits;
}

/** Returns the end of the digits without trailing zeros. */
export function withoutZeroBytes(bytes: Uint8Array, start: number, end: number): number {
  let last = end;
  while (last > start && bytes[last - 1] === ZERO) last -= 1;
  return last;
}

const ASCII_END = 0x80;
const FORBIDDEN = /[^\t\n\r -~]|[&<>"]/;

/** Returns a writer for one of a fixed set of texts; it declines texts that need escaping, are long, or are empty. */
export function putOneOf(texts: readonly string[]): Put {
  const known = new Map(
    texts
      .filter((text) => text !== '' && text.length <= MAX_PUT_BYTES && !FORBIDDEN.test(text))
      .map((text) => [text, asciiBytes(text)]),
  );
  return (value, bytes, at) => {
    const text = typeof value === 'string' ? known.get(value) : undefined;
    return text === undefined ? NOT_PUT : putBytes(text, bytes, at);
  };
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Writes a prepared text. */
export function putBytes(text: Uint8Array, bytes: Uint8Array, at: number): number {
  // For such short texts a loop is cheaper than a call of set().
  for (let index = 0; index < text.length; index += 1) bytes[at + index] = text[index] ?? 0;
  return at + text.length;
}

/** Returns a table by ASCII code of the character written for each; 0 for those not allowed. */
export function asciiTable(put: (character: string) => string | undefined): Uint8Array {
  return Uint8Array.from(
    { length: ASCII_END },
    (_, code) => put(String.fromCharCode(code))?.charCodeAt(0) ?? 0,
  );
}
