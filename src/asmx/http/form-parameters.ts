const ESCAPES = /[%+]/;
const PERCENT = 0x25;
const PLUS = 0x2b;
const BLANK = 0x20;

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

/**
 * Decodes URL-encoded text as ASP.NET does: `+` is a blank, runs of `%XX` are bytes in the given encoding, `%uXXXX` is
 * one UTF-16 unit, and a malformed escape is kept. .NET's own GET and POST proxies send every non-ASCII character as
 * `%uXXXX` (wire contract, sections 4 and 9).
 *
 * @param text encoded text, as characters
 * @param decodeBytes decodes the bytes of an escape run; UTF-8 if omitted
 */
export function urlDecode(text: string, decodeBytes: (bytes: Buffer) => string = decodeUtf8): string {
  if (!ESCAPES.test(text)) return text;
  let result = '';
  let bytes: number[] = [];
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === PERCENT) {
      const byte = hexValue(text, index + 1, 2);
      if (byte >= 0) {
        bytes.push(byte);
        index += 3;
        continue;
      }
    }
    if (bytes.length > 0) {
      result += decodeBytes(Buffer.from(bytes));
      bytes = [];
    }
    const unit = code === PERCENT && text[index + 1] === 'u' ? hexValue(text, index + 2, 4) : -1;
    if (unit >= 0) {
      result += String.fromCharCode(unit);
      index += 6;
    } else {
      result += code === PLUS ? String.fromCharCode(BLANK) : text.charAt(index);
      index += 1;
    }
  }
  if (bytes.length > 0) result += decodeBytes(Buffer.from(bytes));
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
export function readFormParameters(
  text: string,
  decodeBytes?: (bytes: Buffer) => string,
): FormParameters | undefined {
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
