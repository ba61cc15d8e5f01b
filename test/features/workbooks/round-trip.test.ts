// Any table of texts that is written as a workbook is read back the same.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { zipArchive } from '../../../src/support/zip';
import { fuzzRun } from '../../harness/fuzz-run';
import { useFolderPerTest } from '../../harness/use-folder';
import { cellsOf, randomTables } from '../../store/csv/random-tables';
import { xlsxParts } from './xlsx-file';

const folder = useFolderPerTest();
const { count, seed, title, timeout } = fuzzRun(50);

it(
  `a table is read as it is written: ${title}`,
  async () => {
    for (const table of randomTables(count, seed)) {
      const book = join(folder(), 'a.xlsx');
      writeFileSync(book, zipArchive(xlsxParts({ table })));
      expect(await cellsOf(book, (file) => readXlsx(file, 'table'))).toEqual(table);
    }
  },
  timeout,
);
