import { open } from 'node:fs/promises';

/** What may part the cells of a file, and what an error calls it. */
const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const;

export type Delimiter = keyof typeof DELIMITERS;

/** A header is far shorter than this, in bytes. */
const HEAD_BYTES = 64 * 1024;

/** Blank lines, a first cell (quoted, or without a quotation mark), and what stands behind it. */
const FIRST_CELL = /^\uFEFF?(?:(?:"")?[\r\n])*(?:"(?:[^"]|"")*"|[^",;\t\r\n]*)([,;\t])/;

/**
 * The delimiter behind the first cell of a file's header: no column has a name with one. Excel writes `;` where
 * the comma is for decimals, and tabs as "text".
 *
 * @returns undefined where there is none
 * @throws the file system's error where the file cannot be read
 */
export async function delimiterOf(path: string): Promise<Delimiter | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [, found] = FIRST_CELL.exec(buffer.toString('utf8', 0, bytesRead)) ?? [];
    return found === undefined ? undefined : (found as Delimiter); // What the pattern captures.
  } finally {
    await file.close();
  }
}

/** For an error text, behind what it has to do with the delimiter. */
export function delimiterNote(delimiter: Delimiter | undefined): string {
  return delimiter === undefined
    ? '(delimiter: none of comma, semicolon and tab)'
    : `(delimiter: ${DELIMITERS[delimiter]})`;
}
