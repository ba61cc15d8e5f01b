/** Returns the name of a cell as formulas have it, such as `students!D17` and `'My list'!A1`. */
export function cellName(sheet: string, line: number, column: number): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
  return `${name}!${columnLetters(column)}${String(line)}`;
}

/** Returns the letters of a column by its number; the first column is 0. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}
