import { cellName } from '../../../src/features/workbooks/cell-name';
import { date, integer, key, text, timeOfDay } from '../../../src/store/csv/cell-kinds';
import type { CsvFile } from '../../../src/store/csv/csv-files';
import type { CsvRecord } from '../../../src/store/csv/read-csv';
import { RowReader } from '../../../src/store/csv/stage-file';
import { KIND_COLUMNS } from './cell-kinds-table';

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

type ReadRow = ReturnType<RowReader['read']> & { readonly line: number };

/** Reads records as an import does. */
export async function readKinds(records: AsyncIterable<CsvRecord>): Promise<{
  readonly headerProblems: RowReader['problems'];
  readonly rows: readonly ReadRow[];
}> {
  let reader: RowReader | undefined;
  const rows: ReadRow[] = [];
  for await (const record of records) {
    if (reader === undefined)
      reader = new RowReader(TABLE, record, {
        dateOrder: 'mdy',
        cellName: (...place) => cellName('exams', ...place),
      });
    else rows.push({ line: record.line, ...reader.read(record) });
  }
  return { headerProblems: reader?.problems ?? [], rows };
}
