import { mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { FileReport, ImportProgress, ImportReport, Store } from '../../../src/store';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { CSV_HEADERS, type SchoolRows, writeCsv, writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { openFiles } from '../../harness/closed-connections';
import { makeNamedPipe } from '../../harness/named-pipe';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe.each(ENGINES)('the problems of an import on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let folders = 0;

  beforeEach(async () => {
    store = await database.open();
  });

  function newFolder(): string {
    folders += 1;
    return `${database.folder}/${String(folders)}`;
  }
  function load(rows: SchoolRows, options: { readonly dryRun?: boolean } = {}): Promise<ImportReport> {
    return store.importFolder(writeSchool(newFolder(), rows), options);
  }

  it('loads nothing from a file with a bad row, nor from files that refer to it', async () => {
    const report = await load({
      ...SMALL_SCHOOL,
      classes: ['http://a.example,1A,Good', 'http://nowhere.example,1B,Bad'],
    });
    expect(report.files.map(({ file, outcome }) => `${file} ${outcome}`)).toEqual([
      'schools.csv loaded',
      'classes.csv refused',
      'students.csv blocked',
      'devices.csv blocked',
      'exams.csv loaded',
      'exam_entries.csv loaded',
      'note_types.csv loaded',
      'notes.csv loaded',
    ]);
    expect(report.files[1]).toEqual({ ...loaded('classes.csv', { rows: 2, errors: 1 }), outcome: 'refused' });
    expect(report.files[2]).toEqual({ ...loaded('students.csv', { newRows: 4 }), outcome: 'blocked' });
    expect(report.problems).toMatchObject([
      {
        file: 'classes.csv',
        line: 3,
        column: 'school_base_url',
        reason: 'unknown school',
      },
    ]);
    await expect(store.students.ofSchool('http://a.example', 'Y')).resolves.toEqual([]);
    // The good row of the refused file is not there either.
    const later = await load({ classes: SMALL_SCHOOL.classes });
    expect(later.files).toEqual([loaded('classes.csv', { newRows: 1 })]);
  });

  it('reports every error in every row of every file, in the order of files and lines', async () => {
    const report = await load({
      ...SMALL_SCHOOL,
      schools: ['http://a.example,A', ',B'],
      classes: ['http://a.example,1A,Good', `http://nowhere.example,1B,${'x'.repeat(1001)}`, ',1C,No school'],
      students: [
        'http://a.example,S1,Name,Y,1B', // the class has an error of its own
        'http://a.example,S1,Name,YES,1Z',
        'http://nowhere.example,S3,Name,,1A',
      ],
      exam_entries: ['E1,Maths,tomorrow,now,-1', 'E7,Art,2026-12-01,13:30,40'],
    });
    const errors = report.problems.map(
      ({ file, line, column, value }) => `${file} ${String(line)} ${column}: ${value}`,
    );
    expect(errors).toEqual([
      'schools.csv 3 base_url: ',
      'classes.csv 3 name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'classes.csv 3 school_base_url: http://nowhere.example',
      'classes.csv 4 school_base_url: ',
      'students.csv 2 id_class: 1B',
      'students.csv 3 ShowActive: YES',
      'students.csv 3 school_base_url + id_student: (hidden)',
      'students.csv 3 id_class: 1Z',
      'students.csv 4 ShowActive: ',
      'students.csv 4 school_base_url: http://nowhere.example',
      'devices.csv 4 school_base_url: http://b.example',
      'exam_entries.csv 2 exam_date: tomorrow',
      'exam_entries.csv 2 start_time: now',
      'exam_entries.csv 2 duration_minutes: -1',
      'exam_entries.csv 3 exam_id: E7',
    ]);
    expect(report.problemCount).toBe(errors.length);
  });

  it('reports no references to a file that it cannot read completely', async () => {
    const folder = writeSchool(newFolder(), SMALL_SCHOOL);
    writeFileSync(`${folder}/classes.csv`, `${CSV_HEADERS.classes}\nhttp://a.example,1A\n`);
    writeFileSync(`${folder}/schools.csv`, 'base_url,title\nhttp://a.example,A\n');
    const report = await store.importFolder(folder);
    expect(report.problems.map(({ file, line, column }) => `${file} ${String(line)} ${column}`)).toEqual([
      'schools.csv 1 name',
      'schools.csv 1 "title"',
      'classes.csv 2 ',
    ]);
    expect(report.files.filter(({ outcome }) => outcome === 'loaded').map(({ file }) => file)).toEqual([
      ...['exams.csv', 'exam_entries.csv', 'note_types.csv'],
    ]);
  });

  it('keeps the first 10,000 errors of a folder and counts the rest', async () => {
    const rows = Array.from({ length: 10_010 }, (_, at) => `,${String(at)}`);
    const report = await load({ schools: rows.slice(0, 9_990), note_types: rows });
    expect(report.problemCount).toBe(20_000);
    expect(report.problems).toHaveLength(10_000);
    expect(report.problems.slice(9_988)).toMatchObject([
      { file: 'schools.csv', line: 9_990 },
      { file: 'schools.csv', line: 9_991 },
      { file: 'note_types.csv', line: 2 },
      ...Array.from({ length: 9 }, (_, at) => ({ file: 'note_types.csv', line: at + 3 })),
    ]);
  });

  it('names unknown files, and refuses a folder without import files', async () => {
    const folder = writeSchool(newFolder(), { schools: SMALL_SCHOOL.schools });
    const report = await store.importFolder(writeCsv(folder, { 'student.csv': ['x'], 'read-me.txt': ['x'] }));
    expect(report.leftOut).toMatchObject([
      { name: 'read-me.txt' },
      { name: 'student.csv', reason: 'unknown' },
    ]);
    const pupils = writeCsv(newFolder(), { 'pupils.csv': ['x'] });
    await expect(store.importFolder(pupils)).rejects.toThrow(
      /^.+ contains no import files\. Expected at least one of: schools\.csv, .*notes\.csv\.$/,
    );
    writeFileSync(join(pupils, 'School.xlsx'), '');
    await expect(store.importFolder(pupils)).rejects.toThrow(
      / A workbook with all tables is named itself: .*School\.xlsx\.$/,
    );
    await expect(store.importFolder(`${database.folder}/none`)).rejects.toMatchObject({
      name: 'FolderError',
      message: `Cannot read the folder ${database.folder}/none (ENOENT).`,
    });
  });

  it('names a file that cannot be read', async () => {
    const folder = writeCsv(`${database.folder}/unreadable`, {});
    mkdirSync(`${folder}/schools.csv`);
    await expect(store.importFolder(folder)).rejects.toMatchObject({
      name: 'FolderError',
      message: `${folder}/schools.csv is not a regular file.`,
    });
    rmdirSync(`${folder}/schools.csv`);
    symlinkSync(`${folder}/nothing`, `${folder}/schools.csv`);
    await expect(store.importFolder(folder)).rejects.toMatchObject({
      name: 'FolderError',
      message: `${folder}/schools.csv is a link. Copy the file itself into the folder.`,
    });
  });

  onLinux('leave no file open, even if they end it while it reads one', async () => {
    const folder = writeSchool(newFolder(), SMALL_SCHOOL);
    const isOpen = (): boolean => openFiles().some((path) => path.startsWith(folder));
    let wasOpen = false;
    const onProgress = ({ file, step }: ImportProgress): void => {
      if (file !== 'students.csv' || step !== 'reading') return;
      wasOpen = isOpen();
      throw new Error('The reader of the progress is gone');
    };
    await expect(store.importFolder(folder, { onProgress })).rejects.toThrow('gone');
    expect([wasOpen, isOpen()]).toEqual([true, false]);
  });

  it('does not wait for a pipe, and shows nothing of a file outside the folder', async () => {
    const folder = writeCsv(`${database.folder}/foreign`, {});
    makeNamedPipe(`${folder}/schools.csv`);
    await expect(store.importFolder(folder)).rejects.toMatchObject({
      name: 'FolderError',
      message: `${folder}/schools.csv is not a regular file.`,
    });
    unlinkSync(`${folder}/schools.csv`);
    writeFileSync(`${database.folder}/foreign-secret`, 's3cret\n');
    symlinkSync(`../foreign-secret`, `${folder}/schools.csv`);
    await expect(store.importFolder(folder)).rejects.toMatchObject({
      name: 'FolderError',
      message: `${folder}/schools.csv is a link. Copy the file itself into the folder.`,
    });
  });

  it('follows a link to the folder, but none in it', async () => {
    const folder = writeCsv(`${database.folder}/linked`, {
      'schools.csv': ['base_url,name', 'http://a.example,A'],
    });
    symlinkSync(folder, `${database.folder}/link`);
    expect((await store.importFolder(`${database.folder}/link`)).files).toEqual([
      loaded('schools.csv', { newRows: 1 }),
    ]);
    symlinkSync('schools.csv', `${folder}/classes.csv`);
    await expect(store.importFolder(folder)).rejects.toThrow(/classes\.csv is a link\./);
  });
});

function loaded(file: string, counts: Partial<FileReport>): FileReport {
  const none = { newRows: 0, changedRows: 0, unchangedRows: 0, errors: 0 };
  const { newRows = 0, changedRows = 0, unchangedRows = 0 } = counts;
  return { file, outcome: 'loaded', rows: newRows + changedRows + unchangedRows, ...none, ...counts };
}
