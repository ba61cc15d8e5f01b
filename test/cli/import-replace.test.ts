import { join } from 'node:path';

import { type SchoolRows, writeSchool } from '../../scripts/harness';
import type { Store } from '../../src/store';
import { isTooMuch } from '../../src/store/csv/merge-changes';
import { runCommand } from '../harness/run-command';
import { ENGINES, useDatabase } from '../harness/test-databases';

const [A, B] = ['http://a.example', 'http://b.example'];
const STUDENTS = Array.from({ length: 10 }, (_, at) => `S${String(at)}`);

it('requires confirmation to delete more than a fifth', () => {
  const removal = (rows: number) => ({ file: 'students.csv', rows, of: 1000 });
  expect([200, 201].map((rows) => isTooMuch([removal(0), removal(rows)]))).toEqual([false, true]);
});

describe.each(ENGINES)('import --replace on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    const ofBoth = (row: string) => [`${A},${row}`, `${B},${row}`];
    await store.importFolder(
      files('first', {
        schools: [`${A},A`, `${B},B`],
        classes: ['1A', '1B', '1C', '1D', '1E'].flatMap((id) => ofBoth(`${id},Class`)),
        students: STUDENTS.flatMap((id) => ofBoth(`${id},Name,Y,1A`)),
        devices: STUDENTS.flatMap((id) => [`${id}-a,${A},${id},t,p,`, `${id}-b,${B},${id},t,p,`]),
        notes: ofBoth('N1,,Title,Text'),
      }),
    );
  });

  const files = (name: string, rows: SchoolRows): string => writeSchool(join(database.folder, name), rows);
  async function run(...args: readonly string[]) {
    const { folder, url } = database;
    const { code, out, err } = await runCommand('import', args, { folder, settings: { DATABASE_URL: url } });
    return { code, out: out.trimEnd().split('\n'), err };
  }
  /** Returns the erasures that the log of a service must show. */
  const erasures = () => store.write((transaction) => transaction.erasures.take());
  const studentsOf = async (school: string) =>
    (await store.students.ofSchool(school, 'Y')).map(({ id, deviceId }) => `${id} ${deviceId}`);
  const rows = async () => {
    const { files: exported } = await store.exportFolder(join(database.folder, 'out'));
    return Object.fromEntries(exported.map(({ file, rows: count }) => [file, count]));
  };

  it('deletes rows that are missing from the files, but only for the schools in them', async () => {
    const folder = files('next', {
      classes: ['1A', '1B', '1C', '1D', '1F'].map((id) => `${A},${id},Class`),
      students: STUDENTS.slice(1).map((id) => `${A},${id},Name,Y,1A`),
      devices: STUDENTS.slice(1, 9).map((id) => `${id}-a,${A},${id},t,p,`),
    });
    const before = await rows();
    const dry = await run(folder, '--replace', '--dry-run');
    expect(dry).toMatchObject({ code: 0, err: '' });
    const summary = (done: string) => [
      `classes.csv: 1 of 5 rows ${done} (not in the files)`,
      `students.csv: 1 of 10 rows ${done} (not in the files)`,
      `devices.csv: 2 of 10 rows ${done} (not in the files)`,
    ];
    expect(dry.out.slice(-4)).toEqual([...summary('to delete'), 'Dry run: nothing was written.']);
    expect(await rows()).toEqual(before);
    expect(await erasures()).toEqual([]);

    const { code, out } = await run(folder, '--replace');
    expect(code).toBe(0);
    expect(out.slice(-3)).toEqual(summary('deleted'));
    expect(await erasures()).toEqual([
      {
        command: 'import',
        removed: { classes: 1, students: 1, devices: 2 },
        at: expect.any(Number) as number,
      },
    ]);
    expect(await rows()).toMatchObject({
      ...{ 'schools.csv': 2, 'classes.csv': 10, 'students.csv': 19, 'devices.csv': 18, 'notes.csv': 2 },
    });
    // S9 is still there, without the device.
    expect(await studentsOf(A)).toEqual([...STUDENTS.slice(1, 9).map((id) => `${id} ${id}-a`), 'S9 ']);
    expect(await studentsOf(B)).toEqual(STUDENTS.map((id) => `${id} ${id}-b`));
  });

  it('writes nothing if it would delete more than a fifth, unless confirmed', async () => {
    const folder = files('next', {
      students: [...STUDENTS.slice(3), 'S10'].map((id) => `${A},${id},Name,Y,1A`),
    });
    const refused = await run(folder, '--replace');
    expect(refused.code).toBe(1);
    expect(refused.out.slice(-6)).toEqual([
      'students.csv  checked     8    1        0          7       0',
      'Students by ShowActive: Y 8',
      'Students without devices: 1 of 8',
      'students.csv: 3 of 10 rows to delete (not in the files)',
      'devices.csv: 3 of 10 rows to delete (not in the files)',
      'Nothing was written: this would delete more than a fifth of a table. If that is intended, add --yes.',
    ]);
    expect(await studentsOf(A)).toHaveLength(10);
    expect(await erasures()).toEqual([]);

    expect(await run(folder, '--replace', '--yes')).toMatchObject({ code: 0, err: '' });
    // Devices go with their students where there is no file of devices; classes stay without theirs.
    expect(await rows()).toMatchObject({ 'classes.csv': 10, 'students.csv': 18, 'devices.csv': 17 });
    expect((await studentsOf(A)).toSorted()).toEqual([
      ...['S10 ', ...STUDENTS.slice(3).map((id) => `${id} ${id}-a`)],
    ]);
  });

  it('deletes a fifth, not counting a device that moved to another school', async () => {
    const folder = files('next', {
      schools: [`${A},A`, `${B},B`],
      devices: [
        ...STUDENTS.slice(2).map((id) => `${id}-a,${A},${id},t,p,`),
        `S1-a,${B},S1,t,p,2026-01-01T00:00:00Z`,
        ...STUDENTS.slice(1).map((id) => `${id}-b,${B},${id},t,p,`),
      ],
    });
    const { code, out } = await run(folder, '--replace');
    expect(code).toBe(0);
    expect(out.at(-1)).toBe('devices.csv: 2 of 20 rows deleted (not in the files)');
    expect((await studentsOf(A)).slice(0, 3)).toEqual(['S0 ', 'S1 ', 'S2 S2-a']);
    expect((await studentsOf(B)).slice(0, 3)).toEqual(['S0 ', 'S1 S1-a', 'S2 S2-b']);
  });

  it('writes nothing if a row is bad, such as one that refers to a row to be deleted', async () => {
    const folder = files('next', {
      schools: [`${A},Changed`],
      classes: ['1B', '1C', '1D', '1E'].map((id) => `${A},${id},Class`),
      students: STUDENTS.map((id) => `${A},${id},Name,Y,1A`),
    });
    const { code, out } = await run(folder, '--replace', '--yes');
    expect(code).toBe(1);
    expect(out.at(-1)).toMatch(
      /^students\.csv +2, 3, 4, 5, 6 and 5 more +id_class +1A +unknown class in this school$/,
    );
    expect(out.join('\n')).toMatch(/schools.csv +blocked/);
    expect(await rows()).toMatchObject({ 'classes.csv': 10, 'students.csv': 20 });
  });

  it('keeps a class that still has students if there is no file of students', async () => {
    const folder = files('next', { classes: ['1B', '1C', '1D', '1E'].map((id) => `${A},${id},Class`) });
    expect(await run(folder, '--replace')).toMatchObject({ code: 0 });
    expect(await rows()).toMatchObject({ 'classes.csv': 10, 'students.csv': 20 });
  });
});
