import { canonicalKey } from '../queries/schools';

/**
 * Returns the form in which names of files, sheets and columns are compared: without regard to case,
 * composition of letters, or blanks around them. The four letters I, İ, ı and i count as one: which of them
 * is the other's capital depends on the language.
 */
export function foldName(name: string): string {
  return canonicalKey(name).normalize().replace(/[Iİı]/g, 'i').toLowerCase();
}

/** Returns the letters of a column by its number; the first column is 0. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}

/** Returns a cell or an area of a sheet as formulas name it, such as `students!D17` and `'My list'!A1:B2`. */
export function sheetReference(sheet: string, cells: string): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
  return `${name}!${cells}`;
}
