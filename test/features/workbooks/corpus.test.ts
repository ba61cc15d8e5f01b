// Sheets that LibreOffice wrote, as workbooks and as CSV files: corpus/make-corpus.ts.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import { CsvSyntaxError, readCsv } from '../../../src/store/csv/read-csv';
import { readSheets, readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { openToRead } from '../../../src/support/regular-file';
import { KIND_COLUMNS } from './cell-kinds-table';
import { readKinds } from './read-kinds';

const FOLDER = join(PACKAGE_ROOT, 'test/features/workbooks/corpus');
const COLUMNS = Object.values(KIND_COLUMNS);
const REFUSED = 'refused';

/** Returns the cells that are read, by column and row; of a refused row or sheet, all are refused. */
async function readCells(name: string, sheet: string): Promise<ReadonlyMap<string, unknown>> {
  const file = await openToRead(join(FOLDER, name));
  const cells = new Map<string, unknown>();
  const put = (row: number, value: (column: number) => unknown): void => {
    for (const [at, column] of COLUMNS.entries()) cells.set(`${column} ${String(row)}`, value(at));
  };
  try {
    const { headerProblems, rows } = await readKinds(
      name.endsWith('.csv') ? readCsv(file) : readXlsx(file, await nameOf(sheet)),
    );
    for (const [at, { values, problems }] of rows.entries()) {
      const bad = [...headerProblems, ...problems].map(({ column }) => column);
      const isBad = (column: number): boolean => values === undefined || bad.includes(COLUMNS[column] ?? '');
      put(at, (column) => (isBad(column) ? REFUSED : values?.[column]));
    }
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    put(0, () => REFUSED);
  } finally {
    await file.handle.close();
  }
  return cells;

  async function nameOf(wanted: string): Promise<string> {
    const sheets = await readSheets(file);
    return sheets.find((each) => each.name.replaceAll(' ', '-') === wanted)?.name ?? '';
  }
}

/** Cells of the CSV file of each sheet, which all workbooks are compared with. */
const inCsv: Record<string, ReturnType<typeof readCells>> = {};

/** Number of refused cells of a sheet of a workbook; 0 for all others. */
const REFUSALS: Readonly<Record<string, number>> = {
  ...{ 'dates-as-ids': 3, 'dates-as-names': 3, decimals: 4, elapsed: 1, errors: 3, euro: 1, exponents: 1 },
  ...{ fractions: 1, grouped: 1, 'hidden-column': 1, 'hidden-row': 5, 'hidden-sheet': 5, lira: 1, long: 3 },
  ...{ 'merged-columns': 2, minutes: 1, moments: 1, negative: 1, 'partial-dates': 2, percent: 2, seconds: 1 },
  ...{ truth: 2 },
};

const SHEETS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.csv'))
  .map((name) => name.slice(0, -'.csv'.length));

it('has a corpus of 40 sheets', () => {
  expect(SHEETS.length).toBeGreaterThanOrEqual(40);
});

describe.each(['from-1900.xlsx', 'from-1904.xlsx', 'strict.xlsx'])('the workbook %s', (workbook) => {
  it.each(SHEETS)('gives what the CSV file gives, or refuses it: %s', async (sheet) => {
    const cells = await readCells(workbook, sheet);
    const ofCsv = await (inCsv[sheet] ??= readCells(`${sheet}.csv`, sheet));
    const different = [...ofCsv].filter(([place, value]) => {
      const found = cells.get(place);
      // In a CSV file, only the first row of a merged area has its value.
      const isMerged = sheet === 'merged' && value === '' && found === 'Exam';
      return found !== value && found !== REFUSED && value !== REFUSED && !isMerged;
    });
    expect(different.map(([place, value]) => [place, value, cells.get(place)])).toEqual([]);
    const refused = [...cells].filter(([, value]) => value === REFUSED);
    expect(refused).toHaveLength(REFUSALS[sheet] ?? 0);
  });
});
