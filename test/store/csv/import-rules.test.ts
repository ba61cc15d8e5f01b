import { writeFileSync } from 'node:fs';

import { openStore, type Problem, type Store } from '../../../src/store';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { CSV_HEADERS, writeCsv, writeSchool } from '../../../scripts/harness';
import { useDatabase } from '../../harness/test-databases';

const XML = 'contains a character that is not allowed in XML';
const SPREADSHEET_ERROR = 'is a spreadsheet error value; correct the formula';
const EXPONENT_FORM =
  'is a number in scientific notation, which has lost digits; format the column as text in the spreadsheet';
const NOT_UTF8 =
  'is not UTF-8; save the file as UTF-8, or set --encoding to windows-1254, windows-1256 or windows-1252';
const SLASHES = 'is a date with slashes; set --date-order to dmy or mdy';
const MARKS = ['\u0000', '\u0001', '\u0008', '\u000B', '\u000C', '\u001E', '\u001F', '\uFFFE', '\uFFFF'];

type FileName = `${keyof typeof CSV_HEADERS}.csv`;

/** A file, one row of it, and what is wrong with which column. */
const BAD_ROWS: readonly (readonly [file: FileName, row: string, column: string, reason: string])[] = [
  ['schools.csv', ',Name', 'base_url', 'is empty'],
  ['schools.csv', ' ,Name', 'base_url', 'is empty'],
  ['schools.csv', `http://${'x'.repeat(2042)},Name`, 'base_url', 'is longer than 2048 characters'],
  ['schools.csv', `http://x/${'ğ'.repeat(1100)},Name`, 'base_url', 'is longer than 2048 characters'],
  ['schools.csv', `http://new.example,${'x'.repeat(1001)}`, 'name', 'is longer than 1000 characters'],
  ['schools.csv', `http://x/#${'x'.repeat(2048)},Name`, 'base_url', 'is longer than 2048 characters'],
  ['schools.csv', 'http://new.example', '', 'has 1 cell, the header 2 (delimiter: comma)'],
  ['schools.csv', 'http://new.example,Name,', '', 'has 3 cells, the header 2 (delimiter: comma)'],
  ...MARKS.map((mark) => ['schools.csv', `http://new.example,a${mark}b`, 'name', XML] as const),
  ['classes.csv', 'http://a.example,,Name', 'id_class', 'is empty'],
  ['classes.csv', `http://a.example,${'x'.repeat(257)},Name`, 'id_class', 'is longer than 256 characters'],
  ['classes.csv', 'http://no.example,1A,Name', 'school_base_url', 'unknown school'],
  ['students.csv', 'http://a.example,S9,Name,YY,', 'ShowActive', 'is not exactly one character'],
  ['students.csv', 'http://a.example,S9,Name,,', 'ShowActive', 'is not exactly one character'],
  ['students.csv', 'http://a.example,S9,Name,😀,', 'ShowActive', 'is not exactly one character'],
  ['students.csv', 'http://a.example,,Name,Y,', 'id_student', 'is empty'],
  ['students.csv', 'http://a.example,S9,Name,Y,1Z', 'id_class', 'unknown class in this school'],
  ['students.csv', 'http://b.example,S9,Name,Y,1A', 'id_class', 'unknown class in this school'],
  ['students.csv', 'http://no.example,S9,Name,Y,1A', 'school_base_url', 'unknown school'],
  ['devices.csv', 'D9,http://a.example,S9,t,p,', 'id_student', 'unknown student in this school'],
  ['devices.csv', 'D9,http://b.example,S2,t,p,', 'id_student', 'unknown student in this school'],
  ['devices.csv', ',http://a.example,S1,t,p,', 'id', 'is empty'],
  ['devices.csv', 'D9,http://a.example,,t,p,', 'id_student', 'is empty'],
  ['devices.csv', `D9,http://a.example,S1,${'x'.repeat(4097)},p,`, 'token', 'is longer than 4096 characters'],
  ...[
    'yesterday',
    'on 2026-01-01',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T25:00',
    '2026-01-01T10:60Z',
    '1',
    '20260101',
    // Elsewhere in the world they are a day of a year without four digits.
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
  ].map(
    (text) =>
      [
        'devices.csv',
        `D9,http://a.example,S1,t,p,${text}`,
        'last_seen',
        'is not a time (YYYY-MM-DDTHH:MM:SSZ or D.M.YYYY HH:MM)',
      ] as const,
  ),
  ['exams.csv', ',Name', 'exam_id', 'is empty'],
  ['exam_entries.csv', 'E9,Maths,2026-01-01,09:00,90', 'exam_id', 'unknown exam'],
  ['exam_entries.csv', 'E1,,2026-01-01,09:00,90', 'subject_name', 'is empty'],
  ...['2025-02-29', '29.2.2025', '1.12/2026', '1.13.2026', '1.12.26', '2026-1-1', ''].map(
    (text) =>
      [
        'exam_entries.csv',
        `E1,X,${text},09:00,90`,
        'exam_date',
        'is not a date (YYYY-MM-DD or D.M.YYYY)',
      ] as const,
  ),
  ...['24:00', '9:0', '09:60', '09:00:30', '009:00', ''].map(
    (text) =>
      [
        'exam_entries.csv',
        `E1,X,2026-01-01,${text},90`,
        'start_time',
        'is not a time of day (HH:MM)',
      ] as const,
  ),
  ...['-1', '1.5', '10081', '', 'ninety', '٩٠'].map(
    (text) =>
      [
        'exam_entries.csv',
        `E1,X,2026-01-01,09:00,${text}`,
        'duration_minutes',
        'is not a whole number from 0 to 10080',
      ] as const,
  ),
  ['exam_entries.csv', 'E1,X,2026-01-01,09:00,1E+11', 'duration_minutes', EXPONENT_FORM],
  ['exam_entries.csv', 'E1,X,12/3/2026,09:00,90', 'exam_date', SLASHES],
  ['devices.csv', 'D9,http://a.example,S1,t,p,12/3/2026 8:30', 'last_seen', SLASHES],
  ['note_types.csv', ',Name', 'id', 'is empty'],
  ['note_types.csv', '\u200b \u00a0,Name', 'id', 'is empty'],
  ...[
    '#REF!',
    '#N/A',
    '#NAME?',
    '#DIV/0!',
    '#VALUE!',
    '#BEZUG!',
    '#NV',
    '#YOK',
    '#BAŞV!',
    '#SAYI/0!',
    '####',
  ].flatMap(
    (value) =>
      [
        ['students.csv', `http://a.example,${value},Name,Y,`, 'id_student', SPREADSHEET_ERROR],
        ['students.csv', `http://a.example,S9,Name,Y,${value}`, 'id_class', SPREADSHEET_ERROR],
        ['devices.csv', ` ${value},http://a.example,S1,t,p,`, 'id', SPREADSHEET_ERROR],
      ] as const,
  ),
  ...['"1,23457E+11"', '1.23457E+11', '1E+05', '-1.2e-10'].flatMap(
    (value) =>
      [
        ['students.csv', `http://a.example,${value},Name,Y,`, 'id_student', EXPONENT_FORM],
        ['notes.csv', `http://a.example,N9,${value},Title,Text`, 'note_type', EXPONENT_FORM],
      ] as const,
  ),
  ['notes.csv', 'http://a.example,N9,9,Title,Text', 'note_type', 'unknown note type'],
  ['notes.csv', 'http://a.example,,1,Title,Text', 'id', 'is empty'],
  [
    'notes.csv',
    `http://a.example,N9,1,Title,${'x'.repeat(10_001)}`,
    'text',
    'is longer than 10000 characters',
  ],
];

const GOOD_ROWS: readonly (readonly [file: FileName, row: string])[] = [
  ['schools.csv', `http://${'x'.repeat(2041)},${'ğ'.repeat(1000)}`],
  ['schools.csv', 'Okul 7,\ttab and 😀 and \u00A0'],
  ['classes.csv', `http://a.example,${'ş'.repeat(256)},`],
  ['students.csv', 'http://a.example,S9,,٣,'],
  // Ids that only look like what a spreadsheet spoils.
  ...['123457000000', '1E5', '5E-1', 'E+11', '#1', '#7/A', 'N/A', '1,5', 'S\u200c9'].map(
    (id) => ['students.csv', `http://a.example,"${id}",,Y,`] as const,
  ),
  ['devices.csv', `D9,http://a.example,S1,${'x'.repeat(4096)},,`],
  ['devices.csv', 'D9,http://a.example,S1,,,2024-02-29'],
  ['devices.csv', 'D9,http://a.example,S1,,,2024-02-29T23:59'],
  ['devices.csv', 'D9,http://a.example,S1,,,2024-02-29 23:59:58.123+03:00'],
  ['devices.csv', 'D9,http://a.example,S1,,,2024-02-29T12:00-23:59'],
  ['devices.csv', 'D9,http://a.example,S1,,,0000-01-01'],
  ['devices.csv', 'D9,http://a.example,S1,,,9999-12-31T23:59:59.999Z'],
  ['exam_entries.csv', 'E1,X,2024-02-29,00:00,0'],
  ['exam_entries.csv', 'E1,X,2026-12-31,23:59,10080'],
  ['exam_entries.csv', 'E1,X,3.12.2026,9:00,90'],
  ['exam_entries.csv', 'E1,X,03.12.2026,09:00,90'],
  ['devices.csv', 'D9,http://a.example,S1,,,20.11.2026 08:30'],
  ['devices.csv', 'D9,http://a.example,S1,,,3.9.2026 8:30:15'],
  ['devices.csv', 'D9,http://a.example,S1,,,3.9.2026'],
  ['notes.csv', 'http://b.example,N1,,,'],
];

const HEADERS = Object.fromEntries(
  Object.entries(CSV_HEADERS).map(([name, header]) => [`${name}.csv`, header]),
) as Readonly<Record<FileName, string>>; // The names are those of its type.

describe('the rules of an import', () => {
  const database = useDatabase('sqlite', { per: 'block' });
  let store: Store;
  let folders = 0;

  beforeAll(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
  });

  /** Imports one file of these bytes, and returns what is wrong with it. */
  async function problemsOf(file: string, bytes: string | Buffer): Promise<readonly Problem[]> {
    folders += 1;
    const folder = writeCsv(`${database.folder}/${String(folders)}`, {});
    writeFileSync(`${folder}/${file}`, bytes);
    return (await store.importFolder(folder, { dryRun: true })).problems;
  }

  it.each(BAD_ROWS.map((bad) => [shown(bad[1]), ...bad] as const))(
    'refuse the row %s of %s',
    async (...bad) => {
      const [, file, row, column, reason] = bad;
      const problems = await problemsOf(file, `${HEADERS[file]}\n${row}\n`);
      expect(problems).toMatchObject([{ file, line: 2, column, reason }]);
    },
  );

  it.each(GOOD_ROWS.map((good) => [shown(good[1]), ...good] as const))(
    'accept the row %s of %s',
    async (...good) => {
      const [, file, row] = good;
      await expect(problemsOf(file, `${HEADERS[file]}\n${row}\n`)).resolves.toEqual([]);
    },
  );

  it.each([
    ['an empty file', '', '', 1, 'is empty'],
    ['a quote that is never closed', `base_url,name\na,"b\nc`, 'name', 2, 'has a quote that is never closed'],
    [
      'text after a closing quote in the header',
      `"base"_url,name\na,b`,
      '',
      1,
      'has text after a closing quote; double the quotes inside a quoted cell',
    ],
    [
      'text after a closing quote',
      `base_url,name\nhttp://x,ok\n"a"b,c`,
      'base_url',
      3,
      'has text after a closing quote; double the quotes inside a quoted cell',
    ],
    ['a quote inside a cell', `base_url,name\na,b"c`, 'name', 2, 'has a quote inside an unquoted cell'],
    ['Latin-5 bytes', Buffer.from('base_url,name\na,Ok\na,\xDEule', 'latin1'), '', 3, NOT_UTF8],
    ['a truncated last character', Buffer.from('base_url,name\na,ş').subarray(0, -1), '', 2, NOT_UTF8],
    ['an overlong form', Buffer.from([...Buffer.from('base_url,name\na,'), 0xc0, 0x80]), '', 2, NOT_UTF8],
    ['a surrogate', Buffer.from([...Buffer.from('base_url,name\n\na,'), 0xed, 0xa0, 0x80]), '', 3, NOT_UTF8],
  ])('refuse %s', async (_, bytes, column, line, reason) => {
    await expect(problemsOf('schools.csv', bytes)).resolves.toMatchObject([
      { file: 'schools.csv', line, column, reason },
    ]);
  });

  it('refuse a record of more than a million bytes, such as after an unclosed quote', async () => {
    const bytes = `base_url,name\na,"${'x\n'.repeat(600_000)}`;
    await expect(problemsOf('schools.csv', bytes)).resolves.toMatchObject([
      { line: 2, reason: 'is longer than a million bytes; is a closing quote missing?' },
    ]);
  });

  it.each([
    ['in the header', `base_url,name${',x'.repeat(1_000_000)}\n`, 1],
    ['in a row, without any text', `base_url,name\n\nx,y${','.repeat(1_000_000)}\n`, 3],
    ['in a file with CR line endings', `base_url,name\rx,y\rx,y${';'.repeat(1_000_000)}\r`, 1],
  ])('refuse a million cells before they are read: %s', async (_, text, line) => {
    await expect(problemsOf('schools.csv', text)).resolves.toMatchObject([
      { file: 'schools.csv', line, column: '', reason: 'has more than 20000 cells' },
    ]);
  });

  it('accept a file of many long lines, and texts of only commas', async () => {
    const text = ','.repeat(10_000);
    const rows = Array.from({ length: 50 }, (_, at) => `http://b.example,N${String(at)},,,"${text}"`);
    for (const end of ['\n', '\r', '\r\n']) {
      const file = [HEADERS['notes.csv'], ...rows].join(end);
      await expect(problemsOf('notes.csv', file)).resolves.toEqual([]);
    }
  });

  it('strip blanks and invisible characters around an id, so that two such ids are the same', async () => {
    const ids = ['S8', ' S8', 'S8\u00a0', '\u200bS8\u200b', '\u202aS8\u202c', '\ufeffS8', 'S8\t', 'S\u200b8'];
    const rows = ids.map((id) => `http://a.example,${id},Name,Y,`);
    await expect(
      problemsOf('students.csv', [HEADERS['students.csv'], ...rows].join('\n')),
    ).resolves.toMatchObject(
      [3, 4, 5, 6, 7, 8].map((line) => ({
        file: 'students.csv',
        line,
        column: 'school_base_url + id_student',
        reason: 'duplicate of line 2',
      })),
    );
  });

  it('refuse a header that lacks a column, repeats one or has an unknown one', async () => {
    await expect(problemsOf('schools.csv', 'base_url,base_url,naame\n')).resolves.toMatchObject([
      {
        file: 'schools.csv',
        line: 1,
        column: 'name',
        reason: 'is missing from the header (delimiter: comma)',
      },
      { file: 'schools.csv', line: 1, column: 'base_url', reason: 'is in the header twice' },
      {
        file: 'schools.csv',
        line: 1,
        column: '"naame"',
        reason: 'is not a known column; set --ignore-extra-columns to skip it',
      },
    ]);
  });

  it('report the rows of a file with an unknown column, too', async () => {
    const bytes = 'base_url,name,extra\nhttp://x.example,X,1\n,Y,2\n';
    await expect(problemsOf('schools.csv', bytes)).resolves.toMatchObject([
      { line: 1, column: '"extra"' },
      { line: 3, column: 'base_url', reason: 'is empty' },
    ]);
  });

  it.each([
    ['semicolons', 'base_url;title', 'semicolon'],
    ['semicolons after a byte order mark and quotes', '\uFEFF"base_url";"title"', 'semicolon'],
    ['tabs', 'base_url\ttitle', 'tab'],
  ])('name the delimiter if a header with %s lacks a column', async (_, header, name) => {
    await expect(problemsOf('schools.csv', `${header}\nhttp://x.example,X\n`)).resolves.toMatchObject([
      { line: 1, column: 'name', reason: `is missing from the header (delimiter: ${name})` },
      { line: 1, column: '"title"' },
    ]);
  });

  it('report that no known delimiter was found', async () => {
    const reason = 'is missing from the header (no delimiter found: comma, semicolon or tab)';
    await expect(problemsOf('schools.csv', 'base_url|name\n')).resolves.toMatchObject([
      { line: 1, column: 'base_url', reason },
      { line: 1, column: 'name', reason },
      { line: 1, column: '"base_url|name"' },
    ]);
  });

  it('name the header’s delimiter if a row uses another one', async () => {
    await expect(problemsOf('schools.csv', 'base_url;name\nhttp://x.example,X\n')).resolves.toMatchObject([
      { file: 'schools.csv', line: 2, column: '', reason: 'has 1 cell, the header 2 (delimiter: semicolon)' },
    ]);
  });

  it('shorten a long unknown header, and report nothing about the rows below an invalid header', async () => {
    const header = `base_url,name,${'x'.repeat(41)}`;
    await expect(problemsOf('schools.csv', `${header}\n,,\n`)).resolves.toMatchObject([
      { line: 1, column: `"${'x'.repeat(40)}"` },
    ]);
  });

  it('name all columns of a key that is in the file twice', async () => {
    const rows = ['a,1A,One', 'b,1A,Another', 'a,1A,Two'].map(
      (row) => `http://${row.replace(',', '.example,')}`,
    );
    await expect(
      problemsOf('classes.csv', [HEADERS['classes.csv'], ...rows].join('\n')),
    ).resolves.toMatchObject([
      {
        file: 'classes.csv',
        line: 4,
        column: 'school_base_url + id_class',
        reason: 'duplicate of line 2',
      },
    ]);
  });

  it('refuse a key that is in the file twice, in any spelling, and name its first line', async () => {
    const rows = [
      'http://x.example,A',
      '"http://y.example","two\nlines"',
      'HTTP://x.example/,B',
      'http://x.example,A',
    ];
    await expect(problemsOf('schools.csv', ['base_url,name', ...rows].join('\n'))).resolves.toMatchObject([
      { file: 'schools.csv', line: 5, column: 'base_url', reason: 'duplicate of line 2' },
      { file: 'schools.csv', line: 6, column: 'base_url', reason: 'duplicate of line 2' },
    ]);
  });

  it('apply with a byte order mark, and to characters split between chunks of the file', async () => {
    const name = 'ş€😀'.repeat(80);
    const rows = Array.from(
      { length: 2000 },
      (_, at) => `http://s${String(at)}.example,${'x'.repeat(at % 7)}${name}`,
    );
    await expect(problemsOf('schools.csv', `\uFEFFbase_url,name\n${rows.join('\n')}`)).resolves.toEqual([]);
  });
});

/** A row as a test's name shows it. */
function shown(row: string): string {
  return JSON.stringify(row.length < 80 ? row : `${row.slice(0, 60)}… (${String(row.length)})`);
}

describe('an import without a database', () => {
  it('can be checked in memory', async () => {
    const store = await openStore({ url: 'sqlite::memory:' });
    const report = await store.importFolder('scripts/sample-school', { dryRun: true });
    expect(report.problems).toEqual([]);
    expect(report.files.every(({ outcome, newRows }) => outcome === 'checked' && newRows > 0)).toBe(true);
    await store.close();
  });
});
