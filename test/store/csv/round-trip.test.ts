// Any table of texts that is written as a workbook or as CSV is read back the same.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { csvLine } from '../../../src/store/csv/csv-files';
import { type CsvRecord, readCsv } from '../../../src/store/csv/read-csv';
import { readXlsx } from '../../../src/store/csv/read-xlsx';
import { openToRead, type RegularFile } from '../../../src/support/regular-file';
import { fuzzRun } from '../../harness/fuzz-run';
import { useFolderPerTest } from '../../harness/use-folder';
import { xlsxParts, zipOf } from '../../harness/xlsx-file';

const folder = useFolderPerTest();
const { count, seed, title, timeout } = fuzzRun(150);

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

async function cellsOf(
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

it(
  `a table is read as it is written: ${title}`,
  async () => {
    const next = numbersFrom(seed);
    for (let at = 0; at < count; at += 1) {
      const width = 2 + next(4);
      const text = (): string => Array.from({ length: next(5) }, () => PIECES[next(PIECES.length)]).join('');
      const header = Array.from({ length: width }, (_, column) => `column${String(column)}`);
      // A row has something in its first cell, and ends of lines are those of XML.
      const rows = Array.from({ length: 1 + next(5) }, () => [
        `x${text()}`,
        ...Array.from({ length: width - 1 }, text),
      ]).map((row) => row.map((cell) => cell.replaceAll('\r\n', '\n')));
      const table = [header, ...rows];
      const book = join(folder(), 'a.xlsx');
      writeFileSync(book, zipOf(xlsxParts({ table })));
      expect(await cellsOf(book, (file) => readXlsx(file, 'table'))).toEqual(table);
      const csv = join(folder(), 'a.csv');
      writeFileSync(csv, table.map(csvLine).join(''));
      expect(await cellsOf(csv, (file) => readCsv(file))).toEqual(table);
    }
  },
  timeout,
);
