import { distance } from 'fastest-levenshtein';

/** Formats a number for people: `1,234`. */
export function numberText(value: number): string {
  return value.toLocaleString('en');
}

/** Returns a count with its noun: `1 pair`, `2 pairs`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : several}`;
}

/**
 * Returns the most similar other name, ignoring case, or undefined if none is similar enough: at most one
 * letter in three may differ.
 */
function similarName(name: string, names: readonly string[]): string | undefined {
  const changes = (known: string): number => distance(known.toLowerCase(), name.toLowerCase());
  const others = names.filter((each) => each !== name);
  const [nearest = ''] = others.toSorted((a, b) => changes(a) - changes(b));
  return changes(nearest) * 3 <= Math.max(name.length, nearest.length) ? nearest : undefined;
}

/** Returns ` Did you mean X?` for the most similar name; empty if none is similar. */
export function didYouMean(name: string, names: readonly string[]): string {
  const similar = similarName(name, names);
  return similar === undefined ? '' : ` Did you mean ${similar}?`;
}

/**
 * Matches characters that affect a terminal, or the order or lines in which a text is shown: C0, DEL, C1,
 * line and paragraph separators, directional marks, embeddings, overrides and isolates.
 */
const UNSHOWABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Matches characters not allowed in an SMS: texts in right-to-left languages need marks and isolates, but an
 * override makes a text look different.
 */
const UNSENDABLE = /(?!\n)[\p{Cc}\u2028-\u202e]/u;

/** Returns true if a text has no characters that affect its display: it can then be part of another text. */
export function isPlain(text: string): boolean {
  return text.search(UNSHOWABLE) === -1;
}

/** Returns true if an operator's text can be sent as an SMS: it may have several lines. */
export function isSendable(text: string): boolean {
  return !UNSENDABLE.test(text);
}

/** Returns a text in one line that is safe for a terminal: `\u{1b}` for an ESC, and so on. */
export function shown(text: string): string {
  return text.replace(UNSHOWABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns a value as one line of JSON that is safe for a terminal; it parses to the same value. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSHOWABLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Formats a table with columns of equal width, the first ones (two by default) aligned left and the others,
 * which are numbers, right.
 */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  leftColumns = 2,
): string {
  const lines = [header, ...rows.map((cells) => cells.map(shown))];
  const widths = header.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => (at < leftColumns ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Formats a time for file names, which then sort by time: `20261123T170630Z`.
 *
 * @param at - milliseconds since 1970 UTC
 */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}
