// An installation without the feature that reads workbooks.

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { writeSchool } from '../../../scripts/harness/write-csv';
import { FEATURES } from '../../../src/features';
import type * as Commands from '../../harness/run-command';
import { SMALL_SCHOOL } from '../../harness/small-school';
import type * as Databases from '../../harness/test-databases';

// Before the modules are loaded that read the list.
for (const name of Object.keys(FEATURES)) Reflect.deleteProperty(FEATURES, name);
const load = createRequire(__filename);
const { runCommand } = load('../../harness/run-command') as typeof Commands;
const { useDatabase } = load('../../harness/test-databases') as typeof Databases;

const database = useDatabase('sqlite');
const run = (...args: readonly string[]) => {
  const { folder, url } = database;
  return runCommand('import', args, { folder, settings: { DATABASE_URL: url } });
};

it('refuses a workbook by its name, and reads CSV files', async () => {
  const folder = writeSchool(join(database.folder, 'school'), SMALL_SCHOOL);
  expect((await run(folder)).code).toBe(0);
  const path = join(folder, 'School.xlsx');
  writeFileSync(path, 'PK');
  const err = `Error: ${path}: this installation reads only CSV files. Save each sheet as .csv.\n`;
  expect(await run(path)).toMatchObject({ code: 1, err });
  const map = join(folder, 'map.json');
  writeFileSync(map, JSON.stringify({ 'exams.csv': { file: 'School.xlsx' } }));
  expect(await run(folder, '--map', map)).toMatchObject({ code: 1, err });
});

it('offers no workbook to fill in', async () => {
  expect((await run('--template', database.folder)).err).toContain("unknown option '--template'");
});
