import { readdirSync, readFileSync } from 'node:fs';

import { sql } from 'kysely';

import { CSV_HEADERS } from '../../../scripts/harness';
import type { Store, UndoReport } from '../../../src/store';
import { ENGINES } from '../../harness/test-databases';
import { useImports } from '../../harness/use-imports';
import { Calendar } from '../../../src/support/calendar';

const A = 'http://a.example';
const csv = (file: keyof typeof CSV_HEADERS, ...rows: readonly string[]): Record<string, string> => ({
  [`${file}.csv`]: [CSV_HEADERS[file], ...rows].join('\n'),
});

describe.each(ENGINES)('the undo of an import on %s', (engine) => {
  const imports = useImports(engine);
  const { load } = imports;
  let store: Store;
  beforeEach(() => {
    ({ store } = imports);
  });
  const filesOf = ({ files }: UndoReport): unknown =>
    files.map(({ file, deletedRows, restoredRows, returnedRows }) => [
      file,
      ...[deletedRows, restoredRows, returnedRows],
    ]);
  const undone = async (): Promise<unknown> => {
    const undo = await store.lastUndo();
    return undo && filesOf(undo);
  };
  /** Returns the rows of all tables of school data. */
  const everything = async (): Promise<unknown> => {
    const folder = imports.newFolder();
    await store.exportFolder(folder);
    const files = readdirSync(folder).toSorted();
    const current = await store.students.ofSchool(A, 'Y');
    return [current, files.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')])];
  };

  it('brings back all rows of all tables', async () => {
    await store.write(({ devices }) => devices.invalidateToken('D2', 'token-2'));
    const before = await everything();
    const files = {
      ...csv('schools', `${A},New name`, 'http://c.example,Okul C'),
      ...csv('classes', `${A},1B,Bir B`, 'http://c.example,1C,Bir C'),
      ...csv('students', `${A},S2,Changed,Y,1B`, `${A},S9,New,Y,1B`, 'http://c.example,S1,New,Y,1C'),
      ...csv('devices', `D2,${A},S2,token-9,ios,`, `D9,${A},S9,token-8,ios,`),
      ...csv('exams', 'E1,Changed', 'E9,New'),
      ...csv('exam_entries', 'E1,Maths,2027-01-01,10:00,30', 'E9,Art,2027-01-01,10:00,30'),
      ...csv('note_types', '1,Changed', '9,New'),
      ...csv('notes', `${A},N1,9,New title,Text`, `${A},N9,9,New,Text`),
    };
    await expect(load(files, { replace: 'even large parts' })).resolves.toMatchObject({ problems: [] });
    const after = await everything();
    expect(after).not.toEqual(before);
    const report = await store.undoImport();
    expect(filesOf(report)).toEqual([
      ['schools.csv', 1, 1, 0],
      ['classes.csv', 2, 0, 1],
      ['students.csv', 2, 1, 2],
      ['devices.csv', 1, 1, 1],
      ['exams.csv', 1, 1, 0],
      ['exam_entries.csv', 1, 1, 0],
      ['note_types.csv', 1, 1, 0],
      ['notes.csv', 1, 1, 0],
    ]);
    expect(await everything()).toEqual(before);
    await expect(store.undoImport()).rejects.toThrow('There is no import to undo.');
    expect(await store.lastUndo()).toBeUndefined();
  });

  it('keeps a device that a replacement gives to another student', async () => {
    const files = {
      ...csv('students', `${A},S2,Stays,Y,`),
      ...csv('devices', `D2,${A},S2,token-2,ios,`),
    };
    await expect(load(files, { replace: 'even large parts' })).resolves.toMatchObject({ problems: [] });
    expect(await store.devices.tokenOf('D2')).toBe('token-2');
  });

  it('is of the last import that changed something', async () => {
    await load(csv('exams', 'E8,First'));
    await load(csv('exams', 'E9,Second'));
    await load(csv('exams', 'E9,Second'));
    await load(csv('exams', 'E7,Checked'), { dryRun: true });
    expect(await undone()).toEqual([['exams.csv', 1, 0, 0]]);
    await store.undoImport();
    expect(await store.exams.find('E9')).toBeUndefined();
    expect(await store.exams.find('E8')).toBeDefined();
  });

  it('takes back one of two imports of two schools at once, and that as a whole', async () => {
    const urls = ['http://c.example', 'http://d.example'];
    const filesOfSchool = (url: string) => ({
      ...csv('schools', `${url},School`),
      ...csv('classes', `${url},1C,Class`),
      ...csv('students', `${url},S1,New,Y,1C`, `${url},S2,New,Y,`),
      ...csv('devices', `${url}/d,${url},S1,token-8,ios,`),
    });
    const reports = await Promise.all(urls.map((url) => load(filesOfSchool(url))));
    expect(reports.map(({ problemCount }) => problemCount)).toEqual([0, 0]);
    const schools = async () => Promise.all(urls.map((url) => store.schools.of(url)));
    expect(await schools()).toMatchObject(urls.map(() => ({ students: 2 })));
    expect(filesOf(await store.undoImport())).toEqual([
      ['schools.csv', 1, 0, 0],
      ['classes.csv', 1, 0, 0],
      ['students.csv', 2, 0, 0],
      ['devices.csv', 1, 0, 0],
    ]);
    const left = (await schools()).filter((school) => school !== undefined);
    expect(left).toMatchObject([{ students: 2 }]);
    const tokens = await Promise.all(urls.map((url) => store.devices.tokenOf(`${url}/d`)));
    expect(tokens.toSorted()).toEqual(['', 'token-8']);
  });

  it('is counted once until its rows change, so that a page can ask for it every second', async () => {
    await load(csv('exams', 'E8,First'));
    expect(await undone()).toEqual([['exams.csv', 1, 0, 0]]);
    await sql`update import_undo set change = 'changed'`.execute(imports.engine().direct.kysely);
    expect(await undone()).toEqual([['exams.csv', 1, 0, 0]]);
    await load(csv('exams', 'E7,Second', 'E9,Second'));
    expect(await undone()).toEqual([['exams.csv', 2, 0, 0]]);
  });

  it.each([
    [1, true],
    [2, true],
    [3, false],
  ])('keeps %i changed rows of at most 2: %s', async (rows, isPossible) => {
    const added = ['E7', 'E8'].slice(0, Math.max(1, rows - 1)).map((id) => `${id},New`);
    const files = { ...csv('exams', ...added), ...(rows > 1 && csv('note_types', '9,New')) };
    await load(files, { maxUndoRows: 2 });
    const undo = await store.lastUndo();
    expect(undo).toMatchObject({ isPossible });
    expect(undo?.files.reduce((sum, { deletedRows }) => sum + deletedRows, 0)).toBe(isPossible ? rows : 0);
  });

  it('does not bring back a person whose data was erased', async () => {
    await load(csv('students', `${A},S1,Changed,Y,1A`));
    const subject = { school: A, student: 'S1' };
    const options = { now: Date.now(), calendar: new Calendar('UTC') };
    await store.forget(subject, { ...options, dryRun: true });
    expect(await store.lastUndo()).toMatchObject({ isPossible: true });
    await store.forget(subject, { ...options, dryRun: false });
    expect(await store.lastUndo()).toMatchObject({ isPossible: false, files: [] });
    await expect(store.undoImport()).rejects.toThrow('The last import can no longer be undone.');
  });
});
