import { statSync } from 'node:fs';

import type { Session, SqlValue } from '../engine';
import type { CsvFile } from './csv-files';
import type { ImportProgress, ProblemList } from './import-report';
import { CsvSyntaxError, readCsv } from './read-csv';
import { RowReader } from './row-reader';
import { stagedColumns, stagedTable } from './staging-tables';

/** Rows that go to the database together. */
const BATCH_ROWS = 1000;

/**
 * Reads a file into its staging table. Bad rows are told to `problems` and left out; what is no CSV ends the
 * reading and is told as one.
 *
 * @returns the number of rows staged
 * @throws FolderError where the file cannot be read
 */
export async function stageFile(
  session: Session,
  file: CsvFile,
  path: string,
  problems: ProblemList,
  onProgress: (progress: ImportProgress) => void,
): Promise<number> {
  const columns = stagedColumns(file);
  // Where it cannot be read says who reads it.
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let reader: RowReader | undefined;
  let batch: (readonly SqlValue[])[] = [];
  let records = 0;
  let rows = 0;

  const flush = async (bytesRead: number): Promise<void> => {
    await session.insertRows(stagedTable(file), columns, batch);
    rows += batch.length;
    batch = [];
    onProgress({ file: file.file, step: 'reading', bytesRead, bytes, rows });
  };

  try {
    for await (const record of readCsv(path)) {
      if (reader === undefined) {
        reader = new RowReader(file, record);
        problems.add(reader.problems);
        if (reader.problems.length > 0) return 0;
        continue;
      }
      const values = reader.read(record);
      if ('reason' in values) problems.add([values]);
      else batch.push([record.line, ...values]);
      records += 1;
      if (records % BATCH_ROWS === 0) await flush(record.bytesRead);
    }
    if (reader === undefined) problems.add([{ file: file.file, line: 1, column: '', reason: 'is empty' }]);
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    const { line, column, reason } = error;
    problems.add([{ file: file.file, line, column, reason }]);
  }
  await flush(bytes);
  return rows;
}
