import type { Header } from './messages';

interface WithHeaders {
  readonly headers: readonly Header[];
}

/**
 * The values of a header, in the order of the message.
 *
 * @param wanted - its name in lower case
 */
export function headersOf({ headers }: WithHeaders, wanted: string): readonly string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
}

/**
 * The value of a header, the first where it comes more than once.
 *
 * @param wanted - its name in lower case
 */
export function headerOf({ headers }: WithHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** The elements of a header that holds a list of tokens, in lower case. */
export function tokensOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}

/** Headers as Node and undici give them, names and values in turn, as pairs. */
export function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  );
}
