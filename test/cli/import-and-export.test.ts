import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { CSV_HEADERS, writeCsv, writeSchool } from '../../scripts/harness';
import { markAsLater } from '../harness/other-versions';
import { runCommand } from '../harness/run-command';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { makeNamedPipe } from '../harness/named-pipe';

const ROOT = join(__dirname, '..', '..');
const SAMPLE = join(ROOT, 'scripts', 'sample-school');

interface Outcome {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

/** Runs a command in an empty folder, with settings and nothing else in its environment. */
async function run(...place: RunIn): Promise<Outcome> {
  return runAs(runCommand, ...place);
}

/** Runs the same command as a program. */
async function runAsProgram(...place: RunIn): Promise<Outcome> {
  return runAs(runCommand, ...place);
}

type RunIn = [
  folder: string,
  settings: Readonly<Record<string, string>>,
  name: string,
  ...args: readonly string[],
];

async function runAs(how: typeof runCommand, ...[folder, settings, name, ...args]: RunIn): Promise<Outcome> {
  const { code, out, err } = await how(name, args, { folder, settings });
  return { code, out: out.trimEnd().split('\n'), err };
}

describe.each(ENGINES)('the import and export commands on %s', (engine) => {
  const database = useDatabase(engine, { holds: 'nothing' });

  it('load a folder, report what they did, and write it out again', async () => {
    const settings = { DATABASE_URL: database.url };
    const first = await runAsProgram(database.folder, settings, 'import', SAMPLE);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('students.csv: 100 % read, 37 rows');
    expect(first.out.slice(-13)).toEqual([
      'file              outcome  rows  new  changed  unchanged  errors',
      'schools.csv       loaded      3    3        0          0       0',
      'classes.csv       loaded      4    4        0          0       0',
      'students.csv      loaded     37   37        0          0       0',
      'devices.csv       loaded     26   26        0          0       0',
      'exams.csv         loaded      2    2        0          0       0',
      'exam_entries.csv  loaded      5    5        0          0       0',
      'note_types.csv    loaded      3    3        0          0       0',
      'notes.csv         loaded      4    4        0          0       0',
      'Students by ShowActive: Y 33, N 4 (GetStudentSchool returns one value per call)',
      'Devices by platform: android 18, ios 8',
      'Classes without students: 0 of 4',
      'Students without devices: 12 of 37',
    ]);

    const written = await runAsProgram(database.folder, settings, 'export', 'out');
    expect(written).toMatchObject({ code: 0, err: '' });
    expect(written.out).toContain('students.csv      written    37');
    expect(readFileSync(join(database.folder, 'out', 'note_types.csv'), 'utf8')).toBe(
      readFileSync(join(SAMPLE, 'note_types.csv'), 'utf8').replaceAll('\n', '\r\n'),
    );

    const again = await run(database.folder, settings, 'import', 'out');
    expect(again.code).toBe(0);
    expect(again.out).toContain('students.csv      loaded     37    0        0         37       0');
  });

  it('check a folder without a database, and create none', async () => {
    const settings = { DATABASE_URL: database.url };
    const check = await run(database.folder, settings, 'import', SAMPLE, '--dry-run');
    expect(check).toMatchObject({ code: 0, err: '' });
    expect(check.out).toContain('students.csv      checked    37   37        0          0       0');
    expect(check.out.at(-1)).toBe('Dry run: nothing was written.');
    await expect(run(database.folder, settings, 'export', 'out')).resolves.toMatchObject({ code: 1 });
    if (engine === 'sqlite') expect(existsSync(join(database.folder, 'service.db'))).toBe(false);
  });

  it('exit with code 1 and a table of all errors, grouped by cause', async () => {
    const rows = Array.from({ length: 30 }, () => ',No address');
    writeCsv(database.folder, {
      'schools.csv': ['base_url,name', ...rows],
      'note_types.csv': ['id,name', '#REF!,Name', '1'],
      'scool.csv': ['x'],
    });
    const { code, out } = await runAsProgram(database.folder, { DATABASE_URL: database.url }, 'import', '.');
    expect(code).toBe(1);
    expect(out).toContain('schools.csv     refused    30    0        0          0      30');
    expect(out).toContain('scool.csv: not an import file. Did you mean schools.csv?');
    expect(out.slice(-5)).toEqual([
      '',
      'file            line                       column    value  error',
      'schools.csv     2, 3, 4, 5, 6 and 25 more  base_url         is empty',
      'note_types.csv  2                          id        #REF!  is a spreadsheet error value; correct the formula',
      'note_types.csv  3                                           has 1 cell, the header 2 (delimiter: comma)',
    ]);
  });

  it('read files in other formats with options, and exit with code 1 for an unknown file', async () => {
    const settings = { DATABASE_URL: database.url };
    writeCsv(join(database.folder, 'in'), {
      'Exams.csv': ['exam_id,name', 'E1,First'],
      'sinav.csv': [
        'exam_id;Ders;exam_date;start_time;duration_minutes;x',
        'E1;Resim;12/3/2026;9:00;\u015f;',
      ],
      'map.json': [
        JSON.stringify({
          'exam_entries.csv': {
            file: 'sinav.csv',
            columns: { subject_name: 'Ders' },
            values: { duration_minutes: { '\u00c5\u0178': '90' } }, // as read in the wrong encoding
          },
        }),
      ],
    });
    const forms = ['--date-order', 'mdy', '--ignore-extra-columns', '--encoding', 'windows-1254'];
    const args = ['in', '--map', 'in/map.json', ...forms] as const;
    const mapped = await runAsProgram(database.folder, settings, 'import', ...args);
    expect(mapped).toMatchObject({ code: 0, err: '' });
    expect(mapped.out.at(-1)).toMatch(/^exam_entries\.csv +loaded +1 /);

    const unknown = await run(database.folder, settings, 'import', 'in');
    expect(unknown.code).toBe(1);
    expect(unknown.out.slice(-3)).toEqual([
      'sinav.csv: not an import file.',
      'map.json: not loaded, not a table.',
      'Import files: schools.csv, classes.csv, students.csv, devices.csv, exams.csv, exam_entries.csv, note_types.csv, notes.csv.',
    ]);
    await expect(
      run(database.folder, settings, 'import', 'in', '--encoding', 'latin-5'),
    ).resolves.toMatchObject({ code: 1, err: expect.stringContaining('windows-1254') as string });
    writeCsv(database.folder, { 'map.json': ['{ "student.csv": {} }'] });
    await expect(run(database.folder, settings, 'import', 'in', '--map', 'map.json')).resolves.toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Error: map\.json \(--map\), .*"student\.csv"/) as string,
    });
  });

  it('list at most 50 groups of errors and count the others', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => `${String(at)},x`);
    writeCsv(database.folder, { 'note_types.csv': ['id,name', ...rows, ...rows] });
    const { out } = await run(database.folder, { DATABASE_URL: database.url }, 'import', '.', '--dry-run');
    expect(out.filter((line) => line.includes('duplicate of line'))).toHaveLength(50);
    expect(out.slice(-2)).toEqual(['and 10 more errors', 'Dry run: nothing was written.']);
  });

  it('write the errors to a CSV file for spreadsheets, without formulas', async () => {
    writeCsv(join(database.folder, 'in'), {
      'students.csv': [
        CSV_HEADERS.students,
        'http://no.example,S1,Name,=1+1,"A, B"',
        'http://no.example,S2,Name,-5,',
        'http://no.example,S1,Name,Y,',
      ],
    });
    const settings = { DATABASE_URL: database.url };
    const args = ['in', '--errors', 'errors.csv'] as const;
    await expect(run(database.folder, settings, 'import', ...args)).resolves.toMatchObject({ code: 1 });
    const path = join(database.folder, 'errors.csv');
    expect(readFileSync(path, 'utf8').split('\r\n')).toEqual([
      '\uFEFFfile,line,cell,column,value,error',
      "students.csv,2,,ShowActive,'=1+1,is not exactly one character",
      'students.csv,2,,school_base_url,http://no.example,unknown school',
      'students.csv,3,,ShowActive,-5,is not exactly one character',
      'students.csv,3,,school_base_url,http://no.example,unknown school',
      'students.csv,4,,school_base_url + id_student,(hidden),duplicate of line 2',
      'students.csv,4,,school_base_url,http://no.example,unknown school',
      '',
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);

    const refused = await run(database.folder, settings, 'import', 'in', '--errors', 'none/errors.csv');
    expect(refused).toMatchObject({ code: 1, err: 'Error: Cannot write none/errors.csv (ENOENT).\n' });
  });

  it('write no errors file without errors, and delete an earlier one', async () => {
    writeCsv(join(database.folder, 'in'), { 'schools.csv': [CSV_HEADERS.schools, 'http://a.example,A'] });
    const path = join(database.folder, 'errors.csv');
    writeFileSync(path, 'of an earlier import');
    const importTo = (file: string) =>
      run(database.folder, { DATABASE_URL: database.url }, 'import', 'in', '--errors', file);
    expect(await importTo('errors.csv')).toMatchObject({ code: 0, err: '' });
    expect(existsSync(path)).toBe(false);
    // Where nothing can be written, nothing has to be.
    expect(await importTo('/proc/self/errors.csv')).toMatchObject({ code: 0, err: '' });
  });

  it('write the errors to no file that a link leads to, and wait for no pipe', async () => {
    writeCsv(join(database.folder, 'in'), { 'schools.csv': [CSV_HEADERS.schools, 'not a row'] });
    const foreign = join(database.folder, 'foreign');
    writeFileSync(foreign, 'foreign');
    symlinkSync(foreign, join(database.folder, 'link.csv'));
    makeNamedPipe(join(database.folder, 'pipe.csv'));
    for (const [file, why] of [
      ['link.csv', 'is a link'],
      ['pipe.csv', 'is not a regular file'],
    ] as const) {
      const settings = { DATABASE_URL: database.url };
      const { code, err } = await run(database.folder, settings, 'import', 'in', '--errors', file);
      expect({ code, err }).toEqual({ code: 1, err: `Error: Cannot write ${file} (${why}).\n` });
    }
    expect(readFileSync(foreign, 'utf8')).toBe('foreign');
  });
});

describe.each(ENGINES)('a database on %s changed by a newer version', (engine) => {
  const database = useDatabase(engine);

  it.each([
    ['import', [SAMPLE]],
    ['import', [SAMPLE, '--dry-run']],
    ['export', ['out']],
    ['deliveries', ['list']],
  ] as const)('is refused by the command %s in one line', async (name, args) => {
    await (await database.open()).close();
    await markAsLater(database.url);
    const { code, out, err } = await run(database.folder, { DATABASE_URL: database.url }, name, ...args);
    expect({ code, out }).toEqual({ code: 1, out: [''] });
    expect(err).toMatch(
      /^Error: The database schema is newer than this program: 9999_later instead of .+\n$/,
    );
  });
});

describe('the import command', () => {
  const database = useDatabase('sqlite');

  it.each([
    [
      'a missing folder',
      { DATA_DIR: 'data' },
      ['nowhere'],
      'Error: Cannot read the folder nowhere (ENOENT).',
    ],
    [
      'an invalid setting',
      { DATABASE_URL: 'mysql://somebody:hunter2@db' },
      [SAMPLE],
      /^Error: DATABASE_URL: the value \(not shown\) is not valid\. .+$/,
    ],
    [
      'a database that cannot be opened',
      { DATABASE_URL: 'sqlite:.' },
      [SAMPLE],
      'Error: The path of the database file is a folder. Database: .',
    ],
    ['no argument', {}, [], "Error: missing required argument 'folder'"],
  ])('exits with code 1 and one line for %s', async (_, settings, args, line) => {
    const { code, err } = await run(database.folder, settings, 'import', ...args);
    expect(code).toBe(1);
    expect(err.trimEnd()).toEqual(typeof line === 'string' ? line : expect.stringMatching(line));
    expect(err).toMatch(/^.+\n$/);
  });

  it('reads a time without a zone as UTC, wherever it runs', async () => {
    writeSchool(database.folder, {
      schools: ['http://a.example,A'],
      students: ['http://a.example,S1,A,Y,'],
      devices: ['D1,http://a.example,S1,t,p,2026-01-02 10:00'],
    });
    const settings = { DATABASE_URL: database.url, TZ: 'America/New_York' };
    await expect(runAsProgram(database.folder, settings, 'import', '.')).resolves.toMatchObject({ code: 0 });
    await runAsProgram(database.folder, settings, 'export', 'out');
    expect(readFileSync(join(database.folder, 'out', 'devices.csv'), 'utf8')).toContain(
      '2026-01-02T10:00:00.000Z',
    );
  });

  it.each([
    ['import', SAMPLE, ['service.db', './data']],
    ['import', SAMPLE, ['service.db', './data'], '--dry-run'],
    ['export', 'out', ['service.db', './data', 'out']],
    ['deliveries', 'list', ['service.db', './data']],
  ] as const)('like %s %s, warns if %j are accessible to others than their owner', async (...row) => {
    const [name, argument, loose, ...options] = row;
    const modes: Readonly<Record<string, string>> = { 'service.db': '644', './data': '750', out: '711' };
    for (const each of ['data', 'out']) mkdirSync(join(database.folder, each));
    for (const [each, mode] of Object.entries(modes)) {
      chmodSync(join(database.folder, each), Number.parseInt(mode, 8));
    }
    const settings = { DATABASE_URL: 'sqlite:service.db' };
    const { code, err } = await run(database.folder, settings, name, argument, ...options);
    expect(code).toBe(0);
    const matches = err
      .trimEnd()
      .split('\n')
      .map((line) => /^Warning: (\S+) .+ \(mode (\d+)\)\. Run: chmod/.exec(line));
    expect(matches.map((match) => match?.slice(1)).toSorted()).toEqual(
      loose.map((each) => [each, modes[each]]).toSorted(),
    );
  });

  it('reads the settings file in the current folder', async () => {
    writeCsv(database.folder, { '.env': ['DATABASE_URL=sqlite:here.db'] });
    await expect(runAsProgram(database.folder, {}, 'import', SAMPLE)).resolves.toMatchObject({ code: 0 });
    expect(existsSync(join(database.folder, 'here.db'))).toBe(true);
  });
});
