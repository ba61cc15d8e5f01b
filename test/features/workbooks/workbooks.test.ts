// Small files after public reports about readers of workbooks, in the folder `files`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import { IMPORT_MAP, type ImportReport, type Store } from '../../../src/store';
import type { ImportMap } from '../../../src/store/csv/csv-files';
import { useDatabase } from '../../harness/test-databases';

const FILES = join(PACKAGE_ROOT, 'test/features/workbooks/files');
const SCHOOL = 'https://bug.example';
const ERROR = 'is a spreadsheet error value; correct the formula';
const MOMENT = expect.stringContaining('is a date or time, which a spreadsheet makes of texts') as string;

describe('an import of workbooks that Excel and others write', () => {
  const database = useDatabase('sqlite');
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const load = (name: string, map: ImportMap = {}): Promise<ImportReport> =>
    store.importFolder(join(FILES, name), { map });
  const mapped = (name: string): Promise<ImportReport> =>
    load(`${name}.xlsx`, IMPORT_MAP.parse(JSON.parse(readFileSync(join(FILES, `${name}.json`), 'utf8'))));
  const students = async (): Promise<unknown> => {
    const rows = await store.students.ofSchool(SCHOOL, 'Y');
    return rows.map(({ id, fullName }) => [id, fullName]);
  };

  it.each(['from-1904', 'from-1904-extension', 'midnight'])('reads the dates of %s', async (name) => {
    await expect(load(name)).resolves.toMatchObject({ problems: [], leftOut: [] });
    const { entries = [] } = (await store.exams.find('E1')) ?? {};
    expect(entries).toMatchObject([{ examDate: '2026-12-03', startTime: '09:00' }]);
  });

  it('trims texts that are dates, times and numbers, and drops the rests of calculations', async () => {
    await expect(load('blanks-around')).resolves.toMatchObject({ problems: [] });
    const { entries = [] } = (await store.exams.find('E1')) ?? {};
    const read = entries.map(({ examDate, startTime, durationMinutes }) => [
      examDate,
      startTime,
      durationMinutes,
    ]);
    expect(read).toEqual(Array.from({ length: 3 }, () => ['2026-12-03', '09:00', 60]));
  });

  it('refuses each error cell, with its place', async () => {
    const { problems } = await load('errors');
    expect(problems.map(({ cell, value, reason }) => [cell, value, reason])).toEqual([
      ['students!C2', '(hidden)', ERROR],
      ['students!C3', '(hidden)', ERROR],
      ['devices!D2', '(hidden)', ERROR],
      ['devices!E2', '#VALUE!', ERROR],
      ['notes!D2', '(hidden)', ERROR],
      ['notes!E2', '(hidden)', ERROR],
    ]);
  });

  it('reads a merged value in each of its rows', async () => {
    await expect(load('merged-classes')).resolves.toMatchObject({ problems: [] });
    expect(await store.schools.listClasses(SCHOOL)).toMatchObject([{ id: '1A', students: 3 }]);
    await expect(load('merged-titles')).resolves.toMatchObject({ problems: [] });
    expect(await store.schools.matching('N2', 1)).toMatchObject([{ kind: 'note', name: 'Maths result' }]);
  });

  it.each([
    ['hidden-lists', [{ name: 'students.xlsx: _lists', reason: 'hidden', isTable: false }]],
    ['hidden-lists.xlsx', [{ name: '_lists', reason: 'hidden', isTable: false }]],
    ['hidden-devices.xlsx', [{ name: 'devices', reason: 'hidden', isTable: true }]],
    ['readme-sheet.xlsx', [{ name: 'README', reason: 'unknown', isTable: true }]],
    ['chart', [{ name: 'students.xlsx: Chart1', reason: 'no-table', isTable: false }]],
  ])('loads %s, and names the sheets that it leaves out', async (name, leftOut) => {
    const report = await load(name);
    expect(report).toMatchObject({ problems: [], leftOut });
    expect(report.files.map(({ outcome }) => outcome)).not.toContain('refused');
    expect(report.files.map(({ file }) => file)).not.toContain('devices.csv');
  });

  it('finds sheets whatever the case of their Turkish letters, and with blanks around', async () => {
    await expect(mapped('turkish-names')).resolves.toMatchObject({ problems: [], leftOut: [] });
    expect(await students()).toEqual([['TR1', 'Ann']]);
    await expect(mapped('turkish-capitals')).resolves.toMatchObject({ problems: [], leftOut: [] });
    await expect(load('blank-in-sheet-name.xlsx')).resolves.toMatchObject({ problems: [], leftOut: [] });
    expect(await students()).toEqual([
      ['Q1', 'Ann'],
      ['TR1', 'Ann'],
    ]);
  });

  it('names each file that is not loaded', async () => {
    const { leftOut } = await load('other-formats');
    expect(leftOut).toEqual([
      { name: 'a.txt', reason: 'other', isTable: false },
      { name: 'devices.xlsb', reason: 'format', isTable: true },
      { name: 'exams.ods', reason: 'format', isTable: true },
      { name: 'notes.xls', reason: 'format', isTable: true },
      { name: 'students.xlsm', reason: 'format', isTable: true },
      { name: 'x.numbers', reason: 'format', isTable: true },
    ]);
    await expect(load('other-formats/students.xlsm')).rejects.toThrow(
      /students\.xlsm is not an \.xlsx workbook\. Save it as \.xlsx\.$/,
    );
  });

  it('refuses dates in columns of ids and names', async () => {
    const { problems } = await load('dates-as-ids');
    expect(problems.map(({ cell, reason }) => [cell, reason])).toEqual([
      ['classes!B2', MOMENT],
      ['classes!C2', MOMENT],
      ['classes!B3', MOMENT],
      ['classes!B4', MOMENT],
      ['students!B2', MOMENT],
      ['students!E2', MOMENT],
    ]);
  });
});
