/**
 * Line and column, both from 1, of an offset in a document: CRLF, CR and LF each end a line, and a column is
 * a UTF-16 unit, as .NET's readers count.
 */
export function textPosition(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < offset; index += 1) {
    const character = text[index];
    if (character !== '\n' && character !== '\r') continue;
    if (character === '\r' && text[index + 1] === '\n') index += 1;
    line += 1;
    lineStart = index + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
