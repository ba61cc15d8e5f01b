import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';

import fc from 'fast-check';
import { type KyselyPlugin, sql } from 'kysely';

import { keyForm, type ImportReport, type Store } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import { csvLine } from '../../../src/store/csv/csv-files';
import { exportFolder } from '../../../src/store/csv/export-folder';
import { anyCharacter } from '../../harness/any-character';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeCsv, writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

describe.each(ENGINES)('an export from %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let folder: string;

  beforeEach(async () => {
    store = await database.open();
    folder = `${database.folder}/export`;
  });

  it('writes every file sorted by key, with canonical values', async () => {
    await store.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
    const { files } = await store.exportFolder(folder);
    expect(files.map(({ file, rows }) => `${file} ${String(rows)}`)).toEqual([
      'schools.csv 2',
      'classes.csv 1',
      'students.csv 4',
      'devices.csv 3',
      'exams.csv 2',
      'exam_entries.csv 3',
      'note_types.csv 2',
      'notes.csv 1',
    ]);
    expect(readdirSync(folder).toSorted()).toEqual(files.map(({ file }) => file).toSorted());
    expect(readFileSync(`${folder}/devices.csv`, 'utf8').split('\r\n')).toEqual([
      'id,school_base_url,id_student,token,platform,last_seen',
      'D1,http://a.example,S1,token-1,android,2026-01-02T10:00:00.000Z',
      'D2,http://a.example,S1,token-2,ios,2026-01-03T10:00:00.000Z',
      'D3,http://b.example,S1,token-3,,',
      '',
    ]);
  });

  it('writes only headers if there is no data, and importing them changes nothing', async () => {
    await store.exportFolder(folder);
    expect(readFileSync(`${folder}/schools.csv`, 'utf8')).toBe('base_url,name\r\n');
    expect(changes(await store.importFolder(folder))).toEqual({ problems: [], touched: 0 });
  });

  it('writes more rows than fit in memory at once, each exactly once', async () => {
    const ids = Array.from({ length: 12_345 }, (_, at) => `S${String(at)}`);
    await store.importFolder(
      writeSchool(`${database.folder}/many`, {
        schools: ['http://b.example,B', 'http://a.example,A'],
        students: ids.map((id, at) => `http://${at % 4 === 0 ? 'a' : 'b'}.example,${id},Name,Y,`),
      }),
    );
    await store.exportFolder(folder);
    const [, ...lines] = readFileSync(`${folder}/students.csv`, 'utf8').trimEnd().split('\r\n');
    const keys = lines.map((line) => line.split(',').slice(0, 2).join(' '));
    expect(new Set(keys).size).toBe(ids.length);
    expect(keys.toSorted()).toEqual(keys);
  });

  it('writes the data of one moment, whatever an import changes before its end', async () => {
    await store.importFolder(writeSchool(`${database.folder}/before`, SMALL_SCHOOL));
    const later = writeSchool(`${database.folder}/later`, {
      classes: ['http://a.example,9Z,Later'],
      students: ['http://a.example,S1,Renamed,Y,9Z', 'http://a.example,S9,New,Y,9Z'],
    });
    let import_: Promise<ImportReport> | undefined;
    const afterFirstRows: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (result.rows.length > 0) await (import_ ??= store.importFolder(later));
        return result;
      },
    };
    await database
      .engine()
      .session((session) =>
        exportFolder({ ...session, kysely: session.kysely.withPlugin(afterFirstRows) }, folder, false),
      );
    expect(changes(await (import_ ?? Promise.reject(new Error('nothing was read'))))).toEqual({
      ...{ problems: [], touched: 3 },
    });
    for (const file of readdirSync(folder))
      expect(readFileSync(`${folder}/${file}`, 'utf8')).not.toMatch(/9Z|S9|Renamed/);
    expect((await store.students.ofSchool('http://a.example', 'Y')).map(({ id }) => id)).toContain('S9');
  });

  it('replaces existing files, and leaves nothing else behind', async () => {
    writeCsv(folder, { 'schools.csv': ['old'], 'mine.txt': ['kept'] });
    await store.exportFolder(folder);
    expect(readFileSync(`${folder}/schools.csv`, 'utf8')).toBe('base_url,name\r\n');
    expect(readdirSync(folder).filter((name) => !name.endsWith('.csv'))).toEqual(['mine.txt']);
  });

  it('accepts schools with any kind of URL', async () => {
    const schools = ['!', 'Okul 7', 'ftp://x'];
    await store.importFolder(
      writeSchool(`${database.folder}/odd`, {
        schools: schools.map((url) => `${url},Name`),
        classes: schools.map((url) => `${url},1A,Name`),
      }),
    );
    const { files } = await store.exportFolder(folder);
    expect(files).toContainEqual({ file: 'classes.csv', rows: schools.length });
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'is not a regular file'],
    ['a link', (path: string) => symlinkSync('foreign', path), 'is a link'],
  ] as const)(
    'refuses a folder in which %s has the name of a file, and leaves no file of its own',
    async (_what, make, why) => {
      mkdirSync(folder, { recursive: true });
      make(`${folder}/schools.csv`);
      await expect(store.exportFolder(folder)).rejects.toMatchObject({
        name: 'FolderError',
        message: `${folder}/schools.csv ${why}. Remove it, or use another folder.`,
      });
      expect(readdirSync(folder)).toEqual(['schools.csv']);
    },
  );

  it('leaves no partial file when the database fails', async () => {
    const broken = openEngine({ url: database.url });
    await broken.session(({ kysely }) => sql`drop table exam_entries`.execute(kysely));
    await broken.close();
    await expect(store.exportFolder(folder)).rejects.toMatchObject({ name: 'StoreError' });
    expect(readdirSync(folder).filter((name) => !name.endsWith('.csv'))).toEqual([]);
    expect(readdirSync(folder)).not.toContain('exam_entries.csv');
  });

  it('refuses a folder that cannot be created', async () => {
    writeFileSync(`${database.folder}/file`, '');
    await expect(store.exportFolder(`${database.folder}/file/below`)).rejects.toMatchObject({
      name: 'FolderError',
      message: `Cannot write to the folder ${database.folder}/file/below (ENOTDIR).`,
    });
  });

  it('can be imported again without changes, whatever its texts contain', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(records, { minLength: 10, maxLength: 40 }), async (schools) => {
        runs += 1;
        const source = writeCsv(`${database.folder}/source-${String(runs)}`, {});
        writeSchools(source, schools, runs);
        expect(changes(await store.importFolder(source)).problems).toEqual([]);

        const first = `${database.folder}/first-${String(runs)}`;
        const second = `${database.folder}/second-${String(runs)}`;
        await store.exportFolder(first);
        expect(changes(await store.importFolder(first))).toEqual({ problems: [], touched: 0 });
        await store.exportFolder(second);
        for (const file of readdirSync(first)) {
          expect(readFileSync(`${second}/${file}`, 'utf8')).toBe(readFileSync(`${first}/${file}`, 'utf8'));
        }
      }),
      { numRuns: 5 },
    );
  });
});

/** Returns what an import would have changed. */
function changes({ files, problems }: ImportReport) {
  const touched = files.reduce((sum, { newRows, changedRows }) => sum + newRows + changedRows, 0);
  return { problems, touched };
}

/** Characters that XML can carry, those that CSV must quote among them more often. */
const character = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('"', ',', '\r', '\n', '\r\n', '\t', ' ', "'", ';', '\uFEFF', '\\', '😀'),
  },
  { weight: 3, arbitrary: anyCharacter.filter(isXml) },
);
const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
/** Keys that begin otherwise are no error values of a spreadsheet. */
const key = text.filter((value) => /^[^#]/u.test(keyForm()(value)));
const flag = anyCharacter.filter((c) => c.length === 1 && isXml(c));
const instant = fc.option(
  fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  }),
);

const records = fc.record({
  url: text,
  name: text,
  student: key,
  flag,
  token: text,
  platform: text,
  lastSeen: instant,
  subject: key,
  minutes: fc.integer({ min: 0, max: 10_080 }),
  title: text,
  note: text,
});

type Records = typeof records extends fc.Arbitrary<infer R> ? R : never;

function isXml(value: string): boolean {
  return /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]+$/u.test(value);
}

/** One of everything for each school; numbers keep the keys apart. */
function writeSchools(folder: string, schools: readonly Records[], run: number): void {
  const rows = schools.map((school, at) => {
    const id = `${String(run)}-${String(at)}`;
    const url = `http://${id}.example/${school.url}`;
    return {
      ...school,
      id,
      url,
      studentId: `${school.student}${id}`,
      lastSeen: school.lastSeen?.toISOString() ?? '',
    };
  });
  const files: Readonly<Record<string, readonly (readonly string[])[]>> = {
    'schools.csv': [['base_url', 'name'], ...rows.map((r) => [r.url, r.name])],
    'classes.csv': [['school_base_url', 'id_class', 'name'], ...rows.map((r) => [r.url, r.student, r.title])],
    'students.csv': [
      ['school_base_url', 'id_student', 'fullName', 'ShowActive', 'id_class'],
      ...rows.map((r) => [r.url, r.studentId, r.name, r.flag, r.minutes % 2 === 0 ? r.student : '']),
    ],
    'devices.csv': [
      ['id', 'school_base_url', 'id_student', 'token', 'platform', 'last_seen'],
      ...rows.map((r) => [`D${r.id}${r.student}`, r.url, r.studentId, r.token, r.platform, r.lastSeen]),
    ],
    'exams.csv': [['exam_id', 'name'], ...rows.map((r) => [r.id, r.name])],
    'exam_entries.csv': [
      ['exam_id', 'subject_name', 'exam_date', 'start_time', 'duration_minutes'],
      ...rows.map((r) => [r.id, r.subject, '2026-02-28', '09:05', String(r.minutes)]),
    ],
    'note_types.csv': [['id', 'name'], ...rows.map((r) => [r.id, r.title])],
    'notes.csv': [
      ['school_base_url', 'id', 'note_type', 'title', 'text'],
      ...rows.map((r) => [r.url, r.subject, r.minutes % 3 === 0 ? '' : r.id, r.title, r.note]),
    ],
  };
  for (const [name, lines] of Object.entries(files))
    writeFileSync(`${folder}/${name}`, lines.map(csvLine).join(''));
}
