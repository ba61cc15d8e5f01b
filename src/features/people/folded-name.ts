/**
 * Letters that differ from a plain one in more than a mark: Turkish has a dotless i beside the dotted one.
 */
const PLAIN: Readonly<Record<string, string>> = { ı: 'i', ø: 'o', đ: 'd', ł: 'l', ß: 'ss', æ: 'ae', œ: 'oe' };
const SPECIAL = /[ıøđłßæœ]/g;

/** Ends each of several names in one text; names do not contain it. */
export const NAME_END = '\u001f';
/** Marks of Latin, Greek, Cyrillic and Arabic letters. As ranges: `\p{M}` takes six times as long. */
const MARKS = /[\u0300-\u036f\u064b-\u065f]+/g;
/** Blanks and punctuation, without `NAME_END`. */
const BETWEEN_WORDS = /[\t-\r -/:-@[-`\u00a0\u2010-\u201f]+/g;

/**
 * Returns a text in the form in which names are compared: lower case, without marks, one space between words.
 * `Işıl`, `IŞIL`, `ISIL` and `isil` are equal, so that keyboards of all languages find Turkish names.
 */
export function foldName(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(MARKS, '')
    .replaceAll(SPECIAL, (letter) => PLAIN[letter] ?? letter)
    .replaceAll(BETWEEN_WORDS, ' ');
}

/**
 * Returns a test of folded names: each word of `text` begins a word of the name, in any order; undefined
 * without words.
 */
export function nameTest(text: string): ((folded: string) => boolean) | undefined {
  const words = foldName(text).split(' ').filter(Boolean);
  // One letter would match a tenth of all names.
  if (!words.some((word) => word.length > 1)) return undefined;
  return (folded) => {
    const name = ` ${folded}`;
    return words.every((word) => name.includes(` ${word}`));
  };
}
