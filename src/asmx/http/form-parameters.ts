import { urlDecode } from './url-decode';

/** URL-encoded pairs, read as ASP.NET's NameValueCollection has them (wire contract, section 4). */
export interface FormParameters {
  /** Value by lower-cased name; the values of a repeated name are joined with commas. */
  readonly named: ReadonlyMap<string, string>;
  /** Texts without an equals sign, joined with commas; undefined where there are none. */
  readonly unnamed: string | undefined;
}

/**
 * Splits at `&` only and at the first `=` of a pair, and decodes both sides. Empty pairs are skipped.
 *
 * @param decodeBytes turns the bytes of `%XX` runs into text; UTF-8 when left out
 */
export function readFormParameters(text: string, decodeBytes?: (bytes: Buffer) => string): FormParameters {
  const named = new Map<string, string>();
  let unnamed: string | undefined;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0) {
      const value = urlDecode(pair, decodeBytes);
      unnamed = unnamed === undefined ? value : `${unnamed},${value}`;
      continue;
    }
    const name = urlDecode(pair.slice(0, equals), decodeBytes).toLowerCase();
    const value = urlDecode(pair.slice(equals + 1), decodeBytes);
    const earlier = named.get(name);
    named.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return { named, unnamed };
}
