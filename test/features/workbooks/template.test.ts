import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { importTemplate } from '../../../src/features/workbooks/template';
import { CSV_FILE_NAMES } from '../../../src/store';
import { readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { openToRead } from '../../../src/support/regular-file';
import { runCommand } from '../../harness/run-command';
import { useDatabase } from '../../harness/test-databases';

const LANGUAGES = ['en', 'tr'] as const;

const database = useDatabase('sqlite');
const run = (...args: readonly string[]) => {
  const { folder, url } = database;
  return runCommand('import', args, { folder, settings: { DATABASE_URL: url } });
};

it.each(LANGUAGES)('writes a workbook that imports without an error: %s', async (language) => {
  const folder = join(database.folder, 'out');
  const { code, out } = await run('--template', folder);
  expect([code, out.trimEnd().split('\n')]).toEqual([
    0,
    LANGUAGES.map((each) => join(folder, `school.${each}.xlsx`)),
  ]);
  const store = await database.open();
  const report = await store.importFolder(join(folder, `school.${language}.xlsx`));
  expect(report).toMatchObject({ problems: [], leftOut: [], questions: [] });
  expect(report.files).toEqual(
    CSV_FILE_NAMES.map((file): unknown => expect.objectContaining({ file, outcome: 'loaded', newRows: 1 })),
  );
  // An id that a spreadsheet would take for a date.
  expect(await store.schools.listClasses('https://school.example')).toMatchObject([
    { id: '9-1', students: 1 },
  ]);
});

it('explains each column in two languages', async () => {
  const [english, turkish] = LANGUAGES.map(importTemplate);
  expect(english?.equals(turkish ?? Buffer.alloc(0))).toBe(false);
  const path = join(database.folder, 'a.xlsx');
  writeFileSync(path, turkish ?? '');
  const file = await openToRead(path);
  const rows: unknown[] = [];
  for await (const { cells } of readXlsx(file, 'students')) rows.push(cells);
  await file.handle.close();
  expect(rows).toEqual([
    ['school_base_url', 'id_student', 'fullName', 'ShowActive', 'id_class'],
    ['https://school.example', '001', 'Ayşe Yılmaz', 'Y', '9-1'],
  ]);
});
