import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { integer, key, date, text, timeOfDay } from '../../../src/store/csv/cell-kinds';
import type { CsvFile } from '../../../src/store/csv/csv-files';
import { readCsv } from '../../../src/store/csv/read-csv';
import { readXlsx } from '../../../src/store/csv/read-xlsx';
import { RowReader } from '../../../src/store/csv/stage-file';
import { openToRead } from '../../../src/support/regular-file';
import { useFolderPerTest } from '../../harness/use-folder';
import { type XlsxCell, xlsxParts, zipOf } from '../../harness/xlsx-file';
import { CELL_KINDS, KIND_COLUMNS } from './cell-kinds-table';

const folder = useFolderPerTest();

/** A table with a column of each kind. */
const TABLE: CsvFile = {
  ...{ file: 'exams.csv', table: 'exams', key: [KIND_COLUMNS.id], references: [] },
  columns: [
    { header: KIND_COLUMNS.id, column: KIND_COLUMNS.id, kind: key },
    { header: KIND_COLUMNS.text, column: KIND_COLUMNS.text, kind: text(1000) },
    { header: KIND_COLUMNS.date, column: KIND_COLUMNS.date, kind: date },
    { header: KIND_COLUMNS.time, column: KIND_COLUMNS.time, kind: timeOfDay },
    { header: KIND_COLUMNS.number, column: KIND_COLUMNS.number, kind: integer(0, 10_080) },
  ],
};
const HEADERS = Object.values(KIND_COLUMNS);
const GOOD: Readonly<Record<string, string>> = {
  ...{ exam_id: 'E1', name: 'Exam', exam_date: '2026-12-03', start_time: '09:00', duration_minutes: '60' },
};

async function readFile(path: string): Promise<unknown> {
  const file = await openToRead(path);
  try {
    let reader: RowReader | undefined;
    for await (const record of path.endsWith('.csv') ? readCsv(file) : readXlsx(file, 'x')) {
      if (reader !== undefined) return reader.read(record);
      reader = new RowReader(TABLE, record, { sheet: 'exams' });
      expect(reader.problems).toEqual([]);
    }
    return undefined;
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
      writeFileSync(path, zipOf(xlsxParts({ exams: [HEADERS, row] }, { formats, date1904 })));
    }
    const read = await readFile(path);
    if (!(gives instanceof RegExp)) {
      const values = HEADERS.map((header): unknown => (header === column ? gives : GOOD[header]));
      const stored = values.map((value) => (value === '60' ? 60 : value));
      expect(read).toEqual({ values: stored, problems: [] });
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
