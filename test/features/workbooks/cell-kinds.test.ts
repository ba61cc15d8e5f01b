import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readCsv } from '../../../src/store/csv/read-csv';
import { readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { openToRead } from '../../../src/support/regular-file';
import { useFolderPerTest } from '../../harness/use-folder';
import { type XlsxCell, xlsxParts } from './xlsx-file';
import { zipArchive } from '../../../src/support/zip';
import { CELL_KINDS, KIND_COLUMNS } from './cell-kinds-table';
import { readKinds } from './read-kinds';

const folder = useFolderPerTest();

const HEADERS = Object.values(KIND_COLUMNS);
const GOOD: Readonly<Record<string, string>> = {
  ...{ exam_id: 'E1', name: 'Exam', exam_date: '2026-12-03', start_time: '09:00', duration_minutes: '60' },
};

async function readFile(path: string): Promise<unknown> {
  const file = await openToRead(path);
  try {
    const { headerProblems, rows } = await readKinds(
      path.endsWith('.csv') ? readCsv(file) : readXlsx(file, 'x'),
    );
    expect(headerProblems).toEqual([]);
    return rows[0];
  } finally {
    await file.handle.close();
  }
}

it.each(CELL_KINDS.map((row) => [row.kind, row.column, row.format ?? '', row.cell, row] as const))(
  'reads %s in a column of the kind %s as the person sees it: %s %j',
  async (_kind, name, _format, cell, { format, date1904 = '0', gives }) => {
    const column = KIND_COLUMNS[name];
    const at = HEADERS.indexOf(column);
    const isCsv = typeof cell === 'object' && 'csv' in cell;
    const path = join(folder(), isCsv ? 'a.csv' : 'a.xlsx');
    if (isCsv) {
      const row = HEADERS.map((header) => (header === column ? `"${cell.csv}"` : GOOD[header]));
      writeFileSync(path, `${HEADERS.join(',')}\n${row.join(',')}\n`);
    } else {
      const row = HEADERS.map((header): XlsxCell => (header === column ? cell : (GOOD[header] ?? '')));
      const formats = format === undefined ? [] : [format];
      writeFileSync(path, zipArchive(xlsxParts({ exams: [HEADERS, row] }, { formats, date1904 })));
    }
    const read = await readFile(path);
    if (!(gives instanceof RegExp)) {
      const values = HEADERS.map((header): unknown => (header === column ? gives : GOOD[header]));
      const stored = values.map((value) => (value === '60' ? 60 : value));
      expect(read).toEqual({ line: 2, values: stored, problems: [] });
      return;
    }
    expect(read).toMatchObject({
      problems: [
        {
          ...{ line: 2, column, reason: expect.stringMatching(gives) as string },
          ...(!isCsv && { cell: `exams!${'ABCDE'.charAt(at)}2` }),
        },
      ],
    });
  },
);
