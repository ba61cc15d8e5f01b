import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PROGRAM, writeSchool } from '../../../scripts/harness';
import { loadConfig } from '../../../src/config';
import { openImports } from '../../../src/features/folder/scheduled-imports';
import type { Store } from '../../../src/store';
import { loggerInto } from '../../harness/log-lines';
import { useDatabase } from '../../harness/test-databases';
import { useFolderPerTest } from '../../harness/use-folder';

const MINUTE = 60_000;
const SCHOOL = 'http://school.example';

describe('the scheduled import of a folder', () => {
  const database = useDatabase('sqlite');
  const folder = useFolderPerTest();
  const data = useFolderPerTest();
  let now: number;
  let store: Store;
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    // The files are written now, and complete a minute later.
    now = Date.now() + 2 * MINUTE;
    lines = [];
    store = await database.open();
  });

  const school = (students: readonly string[] = [`${SCHOOL},S1,Name,Y,`]) =>
    writeSchool(folder(), { schools: [`${SCHOOL},School`], students });
  const students = async () => (await store.schools.of(SCHOOL))?.students;
  /** Runs it as if the files were complete. */
  const runNow = async (more: Readonly<Record<string, string>> = {}) => {
    jest.spyOn(Date, 'now').mockReturnValue(now);
    await openImports(
      loadConfig({ DATABASE_URL: database.url, DATA_DIR: data(), IMPORT_FOLDER: folder(), ...more }),
      store,
      loggerInto(lines),
      PROGRAM,
    )?.look();
    jest.restoreAllMocks();
  };

  it('shows no stack if the command fails unexpectedly', async () => {
    school();
    const program = join(data(), 'program.cjs');
    writeFileSync(program, 'throw new RangeError("Maximum call stack size exceeded");');
    const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: data(), IMPORT_FOLDER: folder() });
    jest.spyOn(Date, 'now').mockReturnValue(now);
    await openImports(config, store, loggerInto(lines), program)?.look();
    jest.restoreAllMocks();
    const report = 'The command failed unexpectedly. Run it in a shell to see its error.';
    expect(await store.imports.last()).toMatchObject({ isGood: false, report });
  });

  it('loads the files with the import command, stores its report, and writes the errors to the data folder', async () => {
    school([`${SCHOOL},S1,Name,Y,`, `${SCHOOL},S2,Name,long,`]);
    // Who may put files into the folder must not choose what is overwritten.
    writeFileSync(join(data(), 'precious'), 'kept');
    symlinkSync(join(data(), 'precious'), join(folder(), 'import-errors.csv'));
    await runNow();
    expect(await students()).toBe(0);
    const errors = join(data(), 'import-errors.csv');
    expect(readFileSync(errors, 'utf8')).toContain('students.csv,3,,ShowActive,long,');
    expect(readFileSync(join(data(), 'precious'), 'utf8')).toBe('kept');
    expect(await store.imports.last()).toMatchObject({
      isGood: false,
      report: expect.stringMatching(/^students.csv +refused +2 .* 1$/m) as string,
    });

    school();
    now += 20 * MINUTE;
    await runNow({ IMPORT_OPTIONS: '--replace --encoding windows-1254' });
    expect(await students()).toBe(1);
    expect(existsSync(errors)).toBe(false);
  });
});
