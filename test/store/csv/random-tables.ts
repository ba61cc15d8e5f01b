import type { CsvRecord } from '../../../src/store/csv/read-csv';
import { openToRead, type RegularFile } from '../../../src/support/regular-file';

const PIECES = [
  ...['a', 'İ', 'ı', 'ş', 'ف', '٣', '🎓', 'e\u0301', '0', '9-1', '1E+11', '#N/A', 'sep=', '=1+1', "'", '"'],
  ...[',', ';', '\t', '\n', '\r\n', ' ', '\u00A0', '\u200B', '&lt;', '<b>', ']]>', '_x', '\\', '{'],
];

/** Returns numbers below a limit, the same ones for a seed. */
function numbersFrom(start: number): (limit: number) => number {
  let state = start;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Returns the cells of a file's rows. */
export async function cellsOf(
  path: string,
  read: (file: RegularFile) => AsyncIterable<CsvRecord>,
): Promise<readonly CsvRecord['cells'][]> {
  const file = await openToRead(path);
  try {
    const rows: CsvRecord['cells'][] = [];
    for await (const { cells } of read(file)) rows.push(cells);
    return rows;
  } finally {
    await file.handle.close();
  }
}

/** Returns tables of any texts, the same ones for a seed. */
export function randomTables(count: number, seed: number): readonly (readonly (readonly string[])[])[] {
  const next = numbersFrom(seed);
  const text = (): string => Array.from({ length: next(5) }, () => PIECES[next(PIECES.length)]).join('');
  return Array.from({ length: count }, () => {
    const width = 2 + next(4);
    const header = Array.from({ length: width }, (_, column) => `column${String(column)}`);
    // A row has something in its first cell, and ends of lines are those of XML.
    const rows = Array.from({ length: 1 + next(5) }, () => [
      `x${text()}`,
      ...Array.from({ length: width - 1 }, text),
    ]).map((row) => row.map((cell) => cell.replaceAll('\r\n', '\n')));
    return [header, ...rows];
  });
}
