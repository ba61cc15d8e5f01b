import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PROGRAM, writeSchool } from '../../../scripts/harness';
import { loadConfig } from '../../../src/config';
import { openImports, scheduledImports } from '../../../src/features/folder/scheduled-imports';
import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { loggerInto } from '../../harness/log-lines';
import { runCommandsHere } from '../../harness/replace-spawn';
import { useFolderPerTest } from '../../harness/use-folder';

const MINUTE = 60_000;
const SCHOOL = 'http://school.example';

describe.each(ENGINES)('the scheduled import of a folder, on %s', (name) => {
  const database = useDatabase(name);
  const folder = useFolderPerTest();
  const data = useFolderPerTest();
  let now: number;
  let store: Store;
  let runs: (readonly string[])[];
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    // The files are written now, and complete a minute later.
    now = Date.now() + 2 * MINUTE;
    runs = [];
    lines = [];
    store = await database.open();
  });

  const imports = (more: Partial<Parameters<typeof scheduledImports>[0]> = {}) =>
    scheduledImports({
      ...{
        store,
        folder: folder(),
        errorsFile: '/data/import-errors.csv',
        everyMs: 10 * MINUTE,
        options: [],
        logger: loggerInto(lines),
        now: () => now,
      },
      run: (args) => {
        runs.push(args);
        return Promise.resolve({ code: 0, out: 'report', problem: '' });
      },
      ...more,
    });
  const school = (students: readonly string[] = [`${SCHOOL},S1,Name,Y,`]) =>
    writeSchool(folder(), { schools: [`${SCHOOL},School`], students });

  it('runs when the files have changed, and only then', async () => {
    school();
    const service = imports({ options: ['--replace'] });
    for (let minute = 0; minute < 30; minute++, now += MINUTE) await service.look();
    const args = ['import', folder(), '--errors', '/data/import-errors.csv', '--replace'];
    expect(runs).toEqual([args]);
    utimesSync(join(folder(), 'students.csv'), 1, 1);
    for (let minute = 0; minute < 30; minute++, now += MINUTE) await service.look();
    expect(runs).toEqual([args, args]);
    expect(await store.imports.last()).toMatchObject({ isGood: true, report: 'report' });
    expect(lines.map(({ msg }) => msg)).toEqual(['import completed', 'import completed']);
  });

  it('waits until no file has changed for a minute', async () => {
    school();
    const service = imports();
    now = Date.now() + MINUTE / 2;
    await service.look();
    expect(runs).toEqual([]);
    now += MINUTE;
    await service.look();
    expect(runs).toHaveLength(1);
  });

  it('waits for copies that keep the times of their originals', async () => {
    school();
    for (const file of ['schools.csv', 'students.csv']) utimesSync(join(folder(), file), 1, 1);
    const service = imports();
    now = Date.now() + MINUTE / 2;
    await service.look();
    expect(runs).toEqual([]);
    now += MINUTE;
    await service.look();
    expect(runs).toHaveLength(1);
  });

  it('takes files of a clock that is ahead', async () => {
    school();
    const tomorrow = new Date(Date.now() + 24 * 60 * MINUTE);
    for (const file of ['schools.csv', 'students.csv']) utimesSync(join(folder(), file), tomorrow, tomorrow);
    await imports().look();
    expect(runs).toHaveLength(1);
  });

  it('runs on only one of several nodes', async () => {
    school();
    await Promise.all([imports(), imports(), imports()].map((service) => service.look()));
    now += 20 * MINUTE;
    await Promise.all([imports(), imports(), imports()].map((service) => service.look()));
    expect(runs).toHaveLength(1);
  });

  it('is retried after ten minutes if the command could not run, with the reason in the log', async () => {
    school();
    const run = () => Promise.resolve({ code: 1, out: '', problem: 'The database is down.' });
    await imports({ run }).look();
    expect(lines).toMatchObject([{ level: 'error', msg: 'import failed', reason: 'The database is down.' }]);
    expect(await store.imports.last()).toMatchObject({ isGood: false, report: 'The database is down.' });
    now += 10 * MINUTE;
    await imports().look();
    expect(runs).toHaveLength(1);
  });

  it('fails if the folder cannot be read', async () => {
    await imports({ folder: join(folder(), 'none') }).look();
    expect(lines).toMatchObject([
      { msg: 'import failed', reason: expect.stringContaining('ENOENT') as string },
    ]);
    expect(await store.imports.last()).toMatchObject({ isGood: false });
    rmSync(join(folder()), { recursive: true });
  });

  it('has nothing to do in a folder without tables', async () => {
    for (const file of ['import-errors.csv', '.hidden.csv', 'readme.txt'])
      writeFileSync(join(folder(), file), '');
    await imports().look();
    expect(runs).toEqual([]);
    expect(lines).toEqual([]);
  });

  describe('opened from the settings', () => {
    const open = (more: Readonly<Record<string, string>> = {}) =>
      openImports(
        loadConfig({ DATABASE_URL: database.url, DATA_DIR: data(), IMPORT_FOLDER: folder(), ...more }),
        store,
        loggerInto(lines),
        PROGRAM,
      );
    it.each([
      ['without a folder', { IMPORT_FOLDER: '' }],
      ['in a process that only answers requests', { ROLE: 'web' }],
    ])('is off %s', (_where, more) => {
      expect(open(more)).toBeUndefined();
    });

    it.each(['--yes', '--dry-run', '--errors x'])('rejects the option %s', (options) => {
      expect(() => open({ IMPORT_OPTIONS: options })).toThrow('IMPORT_OPTIONS');
    });

    it('loads the files with the import command, stores its report, and writes the errors to the data folder', async () => {
      const students = async () => (await store.schools.of(SCHOOL))?.students;
      const look = async (more: Readonly<Record<string, string>> = {}) => {
        jest.spyOn(Date, 'now').mockReturnValue(now);
        runCommandsHere(data());
        await open(more)?.look();
        jest.restoreAllMocks();
      };
      school([`${SCHOOL},S1,Name,Y,`, `${SCHOOL},S2,Name,long,`]);
      // Who may put files into the folder must not choose what is overwritten.
      writeFileSync(join(data(), 'precious'), 'kept');
      symlinkSync(join(data(), 'precious'), join(folder(), 'import-errors.csv'));
      await look();
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
      await look({ IMPORT_OPTIONS: '--replace --encoding windows-1254' });
      expect(await students()).toBe(1);
      expect(existsSync(errors)).toBe(false);
    });
  });
});
