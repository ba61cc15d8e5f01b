import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { LANGUAGES } from '../../../src/admin/texts/words';
import { importTemplate } from '../../../src/features/workbooks/template';
import { CSV_FILE_NAMES } from '../../../src/store';
import { readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { openToRead } from '../../../src/support/regular-file';
import { runCommand } from '../../harness/run-command';
import { useDatabase } from '../../harness/test-databases';

const database = useDatabase('sqlite');
const run = (...args: readonly string[]) => {
  const { folder, url } = database;
  return runCommand('import', args, { folder, settings: { DATABASE_URL: url } });
};

it.each(LANGUAGES)('writes a workbook in $name that imports without an error', async ({ tag }) => {
  const folder = join(database.folder, 'out');
  const { code, out } = await run('--template', folder);
  expect([code, out.trimEnd().split('\n')]).toEqual([
    0,
    LANGUAGES.map((each) => join(folder, `school.${each.tag}.xlsx`)),
  ]);
  const store = await database.open();
  const report = await store.importFolder(join(folder, `school.${tag}.xlsx`));
  expect(report).toMatchObject({ problems: [], leftOut: [], questions: [] });
  expect(report.files).toEqual(
    CSV_FILE_NAMES.map((file): unknown => expect.objectContaining({ file, outcome: 'loaded', newRows: 1 })),
  );
  // An id that a spreadsheet would take for a date.
  expect(await store.schools.listClasses('https://school.example')).toMatchObject([
    { id: '9-1', students: 1 },
  ]);
});

it('explains the same columns in each language', async () => {
  const workbooks = LANGUAGES.map(({ tag }) => importTemplate(tag));
  expect(new Set(workbooks.map((workbook) => workbook.toString('latin1'))).size).toBe(LANGUAGES.length);
  const path = join(database.folder, 'a.xlsx');
  writeFileSync(path, workbooks.at(-1) ?? '');
  const file = await openToRead(path);
  const rows: unknown[] = [];
  for await (const { cells } of readXlsx(file, 'students')) rows.push(cells);
  await file.handle.close();
  expect(rows).toEqual([
    ['school_base_url', 'id_student', 'fullName', 'ShowActive', 'id_class'],
    ['https://school.example', '001', 'Ayşe Yılmaz', 'Y', '9-1'],
  ]);
});
