import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

import type { FileReport, ImportProgress, ImportReport, Store } from '../../../src/store';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { CSV_HEADERS, type SchoolRows, writeCsv, writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

describe.each(ENGINES)('an import on %s', (engine) => {
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

  it('loads every table, and the same files again change nothing', async () => {
    const first = await load(SMALL_SCHOOL);
    expect(first).toEqual({
      files: [
        loaded('schools.csv', { newRows: 2 }),
        loaded('classes.csv', { newRows: 1 }),
        loaded('students.csv', { newRows: 4 }),
        loaded('devices.csv', { newRows: 3 }),
        loaded('exams.csv', { newRows: 2 }),
        loaded('exam_entries.csv', { newRows: 3 }),
        loaded('note_types.csv', { newRows: 2 }),
        loaded('notes.csv', { newRows: 1 }),
      ],
      problems: [],
      problemCount: 0,
      leftOut: [],
      questions: [],
      summary: {
        values: [
          {
            file: 'students.csv',
            header: 'ShowActive',
            counts: [
              { value: 'Y', rows: 3 },
              { value: 'N', rows: 1 },
            ],
            others: 0,
          },
          {
            file: 'devices.csv',
            header: 'platform',
            counts: ['', 'android', 'ios'].map((value) => ({ value, rows: 1 })),
            others: 0,
          },
        ],
        unreferenced: [
          { file: 'classes.csv', by: 'students.csv', rows: 0, of: 1 },
          { file: 'students.csv', by: 'devices.csv', rows: 2, of: 4 },
        ],
      },
      removals: [],
      removesTooMuch: false,
    });

    const again = await load(SMALL_SCHOOL);
    expect(again.files).toEqual(
      first.files.map((file) => loaded(file.file, { unchangedRows: file.newRows })),
    );
  });

  it.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
  ])(
    'gives the same result for files with a byte order mark and %s, as Excel writes them',
    async (_, delimiter) => {
      await load(SMALL_SCHOOL);
      const folder = writeSchool(newFolder(), SMALL_SCHOOL);
      const files = readdirSync(folder).map((file) => `${folder}/${file}`);
      for (const file of files) {
        const text = readFileSync(file, 'utf8');
        writeFileSync(file, `\uFEFF${text.replaceAll(',', delimiter).replaceAll('\n', '\r\n')}`);
      }
      const { files: reports, problems } = await store.importFolder(folder);
      expect(problems).toEqual([]);
      expect(reports.map(({ newRows, changedRows }) => newRows + changedRows)).toEqual(files.map(() => 0));
      expect(reports.map(({ unchangedRows }) => unchangedRows)).toEqual(
        Object.values(SMALL_SCHOOL).map(({ length }) => length),
      );
    },
  );

  it('distinguishes new, changed and unchanged rows', async () => {
    await load(SMALL_SCHOOL);
    const report = await load({
      students: [
        'http://a.example,S1,Çağrı Şimşek,Y,1A', // as it is
        'http://a.example,S2,فاطمة الزهراء,Y,', // another name
        'http://a.example,S3,Gone,N,', // left the class
        'http://a.example,S9,New,Y,', // new
      ],
      exam_entries: [
        'E1,Maths,2026-12-09,09:00,90', // moved to another day
        'E1,Art,2026-12-01,13:30,40',
      ],
    });
    expect(report.files).toEqual([
      loaded('students.csv', { newRows: 1, changedRows: 2, unchangedRows: 1 }),
      loaded('exam_entries.csv', { changedRows: 1, unchangedRows: 1 }),
    ]);
    const exam = await store.exams.find('E1');
    expect(exam?.entries).toHaveLength(3);
    expect(exam?.entries.at(-1)).toMatchObject({ subjectName: 'Maths', examDate: '2026-12-09' });
  });

  it('stores school URLs in canonical form, and finds schools by any form of the URL', async () => {
    const report = await load({
      schools: ['HTTP://A.Example:80/,A'],
      students: ['http://a.EXAMPLE#top,S1,Name,Y,'],
    });
    expect(report.problems).toEqual([]);
    await expect(store.students.ofSchool('http://a.example', 'Y')).resolves.toHaveLength(1);
  });

  it('accepts columns in any order, a byte order mark, any line ending and blank lines', async () => {
    const folder = writeCsv(`${database.folder}/forms`, {});
    writeFileSync(
      `${folder}/schools.csv`,
      '\uFEFFname,base_url\r\n"A, ""the"" school",http://a.example\r\r\n',
    );
    writeFileSync(
      `${folder}/students.csv`,
      `${CSV_HEADERS.students}\nhttp://a.example,S1,"Two\r\nlines",Y,\r\n\nhttp://a.example,S2,"",Y,`,
    );
    await expect(store.importFolder(folder)).resolves.toMatchObject({ problems: [] });
    const students = await store.students.ofSchool('http://a.example', 'Y');
    expect(students.map(({ fullName }) => fullName)).toEqual(['Two\r\nlines', '']);
  });

  it('reports its progress: bytes and rows read, then checking, then writing', async () => {
    const rows = Array.from({ length: 2500 }, (_, at) => `http://${String(at)}.example,Name`);
    const folder = writeSchool(newFolder(), { schools: rows });
    const reported: ImportProgress[] = [];
    await store.importFolder(folder, { onProgress: (progress) => reported.push(progress) });
    const { size } = statSync(`${folder}/schools.csv`);
    expect(reported.map(({ step, rows: read }) => `${step} ${String(read)}`)).toEqual([
      'reading 1000',
      'reading 2000',
      'reading 2500',
      'checking 2500',
      'writing 2500',
    ]);
    expect(reported).toEqual(reported.map((progress) => ({ ...progress, file: 'schools.csv', bytes: size })));
    expect(reported.slice(2).map(({ bytesRead }) => bytesRead)).toEqual([size, size, size]);

    reported.length = 0;
    await store.importFolder(folder, { onProgress: (progress) => reported.push(progress) });
    expect(reported.at(-1)?.step).toBe('checking');
  });

  it('checks a whole folder without writing in a dry run', async () => {
    await load({ schools: ['http://a.example,Old name'] });
    const report = await load(SMALL_SCHOOL, { dryRun: true });
    expect(report.problems).toEqual([]);
    expect(report.files[0]).toEqual({
      ...loaded('schools.csv', { newRows: 1, changedRows: 1 }),
      outcome: 'checked',
    });
    expect(report.files[2]).toEqual({ ...loaded('students.csv', { newRows: 4 }), outcome: 'checked' });
    await expect(store.devices.tokenOf('D1')).resolves.toBe('');
    await expect(load({ schools: SMALL_SCHOOL.schools })).resolves.toMatchObject({
      files: [loaded('schools.csv', { newRows: 1, changedRows: 1 })],
    });
  });

  it('counts classes without students and students without devices, including stored rows', async () => {
    await load(SMALL_SCHOOL);
    const unreferenced = async (rows: SchoolRows, replace = false) => {
      const folder = writeSchool(newFolder(), rows);
      const options = { dryRun: true, ...(replace && { replace: 'even large parts' as const }) };
      const { summary } = await store.importFolder(folder, options);
      return summary.unreferenced.map(
        ({ file, rows: count, of }) => `${file} ${String(count)} of ${String(of)}`,
      );
    };
    const classes = ['1A', '1B', '1C'].map((id) => `http://a.example,${id},Name`);
    expect(await unreferenced({ classes })).toEqual(['classes.csv 2 of 3']);
    // S1 and S3 leave the class 1A, S4 without a device enters 1B.
    const moved = ['S1,A,Y,1C', 'S4,D,Y,1B'].map((row) => `http://a.example,${row}`);
    const rows = { classes, students: [...moved, 'http://a.example,S3,C,Y,'] };
    expect(await unreferenced(rows)).toEqual(['classes.csv 1 of 3', 'students.csv 2 of 3']);
    expect(await unreferenced({ classes, students: moved })).toEqual([
      'classes.csv 0 of 3',
      'students.csv 1 of 2',
    ]);
    expect(await unreferenced({ classes, students: moved }, true)).toEqual([
      ...['classes.csv 1 of 3', 'students.csv 1 of 2'],
    ]);
    // The device D1 goes to another student, who has the same id in another school.
    const devices = ['D1,http://b.example,S1,t,p,', 'D2,http://b.example,S1,t,p,'];
    expect(await unreferenced({ students: moved, devices })).toEqual(['students.csv 2 of 2']);
  });

  it('counts the ten most frequent values of a column, and all others together', async () => {
    const platforms = Array.from({ length: 12 }, (_, at) => `p${String(at)}`);
    const report = await load({
      schools: SMALL_SCHOOL.schools,
      students: SMALL_SCHOOL.students.map((row) => row.replace('1A', '')),
      devices: [...platforms, 'p11'].map(
        (platform, at) => `D${String(at)},http://a.example,S1,t,${platform},`,
      ),
    });
    expect(report.summary.values[1]).toMatchObject({ header: 'platform', others: 2 });
    expect(report.summary.values[1]?.counts).toHaveLength(10);
    expect(report.summary.values[1]?.counts[0]).toEqual({ value: 'p11', rows: 2 });
  });

  it('resolves references in a dry run against the database and the earlier files', async () => {
    await load({ schools: ['http://stored.example,A'] });
    const report = await load(
      {
        schools: ['http://new.example,B'],
        students: [
          'http://stored.example,S1,A,Y,',
          'http://new.example,S1,A,Y,',
          'http://nowhere.example,S1,A,Y,',
        ],
      },
      { dryRun: true },
    );
    expect(report.problems).toMatchObject([
      {
        file: 'students.csv',
        line: 4,
        column: 'school_base_url',
        reason: 'unknown school',
      },
    ]);
  });

  it('wakes the mark requests that wait for data only when there is new data', async () => {
    await load(SMALL_SCHOOL);
    const later = Date.now() + 3_600_000;
    await store.messages.enqueue({
      channel: 'mark',
      recipient: '1A',
      school: 'http://a.example',
      payload: { note: 'N9' },
      createdAt: later,
      expiresAt: later + 1,
      dedupeKey: null,
    });
    const nextAttempt = async () => (await listMessages(store, 1))[0]?.nextAttemptAt;

    await load(SMALL_SCHOOL);
    await expect(nextAttempt()).resolves.toBe(later);
    await load({ note_types: ['7,New'] });
    await expect(nextAttempt()).resolves.toBeLessThan(later);
  });

  it('lets the service read and write while it runs', async () => {
    const others: Promise<unknown>[] = [];
    await store.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL), {
      onProgress: () => {
        others.push(
          store.students.ofSchool('http://a.example', 'Y'),
          store.write((tx) => tx.devices.invalidateToken('D9', 'token')),
        );
      },
    });
    expect(others.length).toBeGreaterThan(16);
    await expect(Promise.all(others)).resolves.toBeDefined();
  });
});

function loaded(file: string, counts: Partial<FileReport>): FileReport {
  const none = { newRows: 0, changedRows: 0, unchangedRows: 0, errors: 0 };
  const { newRows = 0, changedRows = 0, unchangedRows = 0 } = counts;
  return { file, outcome: 'loaded', rows: newRows + changedRows + unchangedRows, ...none, ...counts };
}
