import { textOf, unitsFor } from '../code-units';

type DecodeBytes = (bytes: Buffer) => string;

const ESCAPES = /[%+]/;
const PERCENT = 0x25;
const PLUS = 0x2b;
const BLANK = 0x20;
const LETTER_U = 0x75;

function hexValue(text: string, from: number, digits: number): number {
  if (from + digits > text.length) return -1;
  let value = 0;
  for (let index = from; index < from + digits; index += 1) {
    const code = text.charCodeAt(index);
    const lower = code | 0x20;
    if (code >= 0x30 && code <= 0x39) value = value * 16 + code - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x57;
    else return -1;
  }
  return value;
}

/** Maps single bytes to what they stand for in an encoding. */
interface ByteTable {
  /** UTF-16 units by byte; fewer than 256 if the others depend on their neighbours. */
  readonly units: readonly number[];
  readonly isUtf8: boolean;
}

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const ASCII = [...BYTES.subarray(0, 128)];
const NO_CHARACTERS = '\ufffd'.repeat(128);
const tables = new WeakMap<DecodeBytes, ByteTable>([[decodeUtf8, { units: ASCII, isUtf8: true }]]);

/** Returns the table of an encoding: calling its decoder for each of many bytes takes a microsecond. */
function tableOf(decodeBytes: DecodeBytes): ByteTable {
  const known = tables.get(decodeBytes);
  if (known !== undefined) return known;
  const all = decodeBytes(BYTES);
  const others = all.slice(128);
  // In ISO-2022-JP and UTF-16, ASCII characters depend on their neighbours, too.
  const isAscii = all.startsWith(String.fromCharCode(...ASCII));
  const isSingle = isAscii && others.length === 128 && others !== NO_CHARACTERS;
  const units = isSingle ? Array.from(all, (unit) => unit.charCodeAt(0)) : isAscii ? ASCII : [];
  const table = { units, isUtf8: isAscii && decodeBytes(Buffer.from('\u0101\u3042')) === '\u0101\u3042' };
  tables.set(decodeBytes, table);
  return table;
}

/** Memory for short runs. */
const SHORT = Buffer.alloc(1024);

/** Bytes of successive escapes. */
class EscapeRun {
  readonly #decodeBytes: DecodeBytes;
  readonly #table: ByteTable;
  readonly #bytes: Buffer;
  #length = 0;
  #isInTable = true;

  /** @param characters length of the text with the escapes */
  constructor(decodeBytes: DecodeBytes, characters: number) {
    this.#decodeBytes = decodeBytes;
    this.#table = tableOf(decodeBytes);
    this.#bytes = characters <= SHORT.length ? SHORT : Buffer.allocUnsafe(Math.ceil(characters / 3));
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
    if (byte >= this.#table.units.length) this.#isInTable = false;
  }

  /** Writes what the bytes stand for, and begins the next run. @returns the offset after it */
  writeTo(units: Uint16Array, offset: number): number {
    const end = this.#isInTable ? this.#writeUnits(units, offset) : this.#writeDecoded(units, offset);
    this.#length = 0;
    this.#isInTable = true;
    return end;
  }

  #writeUnits(units: Uint16Array, offset: number): number {
    const { units: known } = this.#table;
    for (let at = 0; at < this.#length; at += 1) units[offset + at] = known[this.#bytes[at] ?? 0] ?? 0;
    return offset + this.#length;
  }

  #writeDecoded(units: Uint16Array, offset: number): number {
    const first = this.#bytes[0] ?? 0;
    const second = this.#bytes[1] ?? 0;
    if (this.#table.isUtf8 && this.#length === 2 && first >= 0xc2 && first < 0xe0 && second >> 6 === 2) {
      // A letter of Turkish, Greek or Cyrillic by itself, the usual case.
      units[offset] = ((first & 0x1f) << 6) | (second & 0x3f);
      return offset + 1;
    }
    const text = this.#decodeBytes(this.#bytes.subarray(0, this.#length));
    for (let at = 0; at < text.length; at += 1) units[offset + at] = text.charCodeAt(at);
    return offset + text.length;
  }
}

/**
 * Decodes URL-encoded text as ASP.NET does: `+` is a blank, runs of `%XX` are bytes in the given encoding,
 * `%uXXXX` is one UTF-16 unit, and a malformed escape is kept. .NET's own GET and POST proxies send every
 * non-ASCII character as `%uXXXX` (wire contract, sections 4 and 9).
 *
 * @param text encoded text, as characters
 * @param decodeBytes decodes the bytes of an escape run; UTF-8 if omitted
 */
export function urlDecode(text: string, decodeBytes: DecodeBytes = decodeUtf8): string {
  if (!ESCAPES.test(text)) return text;
  const run = new EscapeRun(decodeBytes, text.length);
  const units = unitsFor(text.length);
  let length = 0;
  let at = 0;
  while (at < text.length) {
    let code = text.charCodeAt(at);
    if (code === PERCENT) {
      const byte = hexValue(text, at + 1, 2);
      if (byte >= 0) {
        run.add(byte);
        at += 3;
        continue;
      }
    }
    if (!run.isEmpty) length = run.writeTo(units, length);
    const unit = code === PERCENT && text.charCodeAt(at + 1) === LETTER_U ? hexValue(text, at + 2, 4) : -1;
    if (unit >= 0) {
      code = unit;
      at += 6;
    } else {
      if (code === PLUS) code = BLANK;
      at += 1;
    }
    units[length] = code;
    length += 1;
  }
  if (!run.isEmpty) length = run.writeTo(units, length);
  const result = textOf(units, length);
  // A lone surrogate has no UTF-8 form and becomes U+FFFD, as in ASP.NET.
  return result.isWellFormed() ? result : result.toWellFormed();
}

function decodeUtf8(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** URL-encoded pairs in the form of ASP.NET's NameValueCollection (wire contract, section 4). */
export interface FormParameters {
  /** Value by lower-cased name; the values of a repeated name are joined with commas. */
  readonly named: ReadonlyMap<string, string>;
  /** Values of repeated names, by lower-cased name; undefined if none is repeated. */
  readonly repeated: ReadonlyMap<string, readonly string[]> | undefined;
  /** Texts without an equals sign, joined with commas; undefined if there are none. */
  readonly unnamed: string | undefined;
}

/** Maximum number of pairs: ASP.NET's aspnet:MaxHttpCollectionKeys. */
const MAX_PAIRS = 1000;
/** ASP.NET's message for too many pairs. */
export const TOO_MANY_PAIRS = 'Operation is not valid due to the current state of the object.';

/**
 * Splits at `&` only and at the first `=` of a pair, and decodes both sides. Empty pairs are skipped.
 *
 * @param decodeBytes decodes the bytes of `%XX` runs; UTF-8 if omitted
 * @returns undefined for more than 1,000 pairs
 */
export function readFormParameters(text: string, decodeBytes?: DecodeBytes): FormParameters | undefined {
  const named = new Map<string, string>();
  let repeated: Map<string, string[]> | undefined;
  let unnamed: string | undefined;
  let count = 0;
  for (let start = 0, end; start <= text.length; start = end + 1) {
    const ampersand = text.indexOf('&', start);
    end = ampersand < 0 ? text.length : ampersand;
    if (end === start) continue;
    count += 1;
    if (count > MAX_PAIRS) return undefined;
    const pair = text.slice(start, end);
    const equals = pair.indexOf('=');
    if (equals < 0) {
      const value = urlDecode(pair, decodeBytes);
      unnamed = unnamed === undefined ? value : `${unnamed},${value}`;
      continue;
    }
    const name = urlDecode(pair.slice(0, equals), decodeBytes).toLowerCase();
    const value = urlDecode(pair.slice(equals + 1), decodeBytes);
    const earlier = named.get(name);
    if (earlier === undefined) {
      named.set(name, value);
      continue;
    }
    named.set(name, `${earlier},${value}`);
    repeated ??= new Map();
    const values = repeated.get(name);
    if (values === undefined) repeated.set(name, [earlier, value]);
    else values.push(value);
  }
  return { named, repeated, unnamed };
}
