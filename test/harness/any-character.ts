import fc from 'fast-check';

/** Surrogates, which are no characters. */
const [FIRST, LAST] = [0xd800, 0xdfff];
const MOST = 0x10ffff;

/**
 * Any character of Unicode. fast-check has it as well, as a unit of strings, and makes a table of all of them each time,
 * for a second or two.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: FIRST - 1 }), fc.integer({ min: LAST + 1, max: MOST }))
  .map((code) => String.fromCodePoint(code), codeOf);

/** @throws Error for what is not one character */
function codeOf(character: unknown): number {
  const [code, ...others] = typeof character === 'string' ? Array.from(character) : [];
  if (code === undefined || others.length > 0) throw new Error('This is not one character');
  return code.codePointAt(0) ?? 0;
}
