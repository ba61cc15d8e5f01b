// Any table of texts that is written as CSV is read back the same.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { csvLine } from '../../../src/store/csv/csv-files';
import { readCsv } from '../../../src/store/csv/read-csv';
import { fuzzRun } from '../../harness/fuzz-run';
import { useFolderPerTest } from '../../harness/use-folder';
import { cellsOf, randomTables } from './random-tables';

const folder = useFolderPerTest();
const { count, seed, title, timeout } = fuzzRun(50);

it(
  `a table is read as it is written: ${title}`,
  async () => {
    for (const table of randomTables(count, seed)) {
      const csv = join(folder(), 'a.csv');
      writeFileSync(csv, table.map(csvLine).join(''));
      expect(await cellsOf(csv, (file) => readCsv(file))).toEqual(table);
    }
  },
  timeout,
);
