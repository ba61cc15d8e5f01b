import type { Value } from '../contract/values';

/** A number's text without the white space around it; .NET also ignores null characters at its end. */
export function trimNumber(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  let start = 0;
  while (start < end && isNumberSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isNumberSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** A text without XML's white space around it. */
export function trimXml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isXmlSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isXmlSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** White space of .NET's numbers, from the tab to the carriage return, and the blank. */
function isNumberSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isXmlSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Writes a value's text straight into memory, without a string in between; no byte of it needs escaping in XML.
 *
 * @param at offset where it begins; {@link MOST_PUT_BYTES} more are there
 * @returns the offset behind it, or {@link NOT_PUT} where {@link PlainTypeRow.write} has to see to the value
 */
export type Put = (value: Value, bytes: Uint8Array, at: number) => number;

/** No text that is put is longer; what is longer is written otherwise. */
export const MOST_PUT_BYTES = 64;
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

/** The digit at a place of a table, which the compiler cannot know to be there. */
function digit(table: Uint8Array, number: number): number {
  return table[number] ?? ZERO;
}

/** Puts a number below 100 as two digits. */
export function putTwo(number: number, bytes: Uint8Array, at: number): void {
  bytes[at] = digit(TENS, number);
  bytes[at + 1] = digit(ONES, number);
}

/** Puts an integer from 0 to 10 ** 9 - 1 with so many digits, zeros first. */
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

/** Puts a safe integer; returns the offset behind it. */
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

/** Where digits end without the zeros at their end. */
export function withoutZeroBytes(bytes: Uint8Array, start: number, end: number): number {
  let last = end;
  while (last > start && bytes[last - 1] === ZERO) last -= 1;
  return last;
}

const ASCII_END = 0x80;
const FORBIDDEN = /[^\t\n\r -~]|[&<>"]/;

/** What puts one of some texts; those that XML would escape, or that are long or empty, it leaves. */
export function putOneOf(texts: readonly string[]): Put {
  const known = new Map(
    texts
      .filter((text) => text !== '' && text.length <= MOST_PUT_BYTES && !FORBIDDEN.test(text))
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

/** Puts a text that is prepared. */
export function putBytes(text: Uint8Array, bytes: Uint8Array, at: number): number {
  // So short a text costs less so than by a call of set().
  for (let index = 0; index < text.length; index += 1) bytes[at + index] = text[index] ?? 0;
  return at + text.length;
}

/** A table by ASCII code of what each character is put as; 0 for those that may not come. */
export function asciiTable(put: (character: string) => string | undefined): Uint8Array {
  return Uint8Array.from(
    { length: ASCII_END },
    (_, code) => put(String.fromCharCode(code))?.charCodeAt(0) ?? 0,
  );
}
