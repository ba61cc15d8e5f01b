import { urlDecode } from './url-decode';

/** URL-encoded pairs, read as ASP.NET's NameValueCollection has them (wire contract, section 4). */
export interface FormParameters {
  /** Value by lower-cased name; the values of a repeated name are joined with commas. */
  readonly named: ReadonlyMap<string, string>;
  /** The values of names that are there more than once, by lower-cased name; undefined where there are none. */
  readonly repeated: ReadonlyMap<string, readonly string[]> | undefined;
  /** Texts without an equals sign, joined with commas; undefined where there are none. */
  readonly unnamed: string | undefined;
}

/** Most pairs: ASP.NET's aspnet:MaxHttpCollectionKeys. */
const MOST_PAIRS = 1000;
/** ASP.NET's words for more of them. */
export const TOO_MANY_PAIRS = 'Operation is not valid due to the current state of the object.';

/**
 * Splits at `&` only and at the first `=` of a pair, and decodes both sides. Empty pairs are skipped.
 *
 * @param decodeBytes turns the bytes of `%XX` runs into text; UTF-8 when left out
 * @returns undefined where there are more than 1,000 pairs
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
    if (count > MOST_PAIRS) return undefined;
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
