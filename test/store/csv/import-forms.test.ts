import { encode } from 'iconv-lite';

import { CSV_HEADERS } from '../../../scripts/harness';
import { IMPORT_MAP, type Store } from '../../../src/store';
import { useImports } from '../../harness/use-imports';

describe('an import of files in various forms', () => {
  const imports = useImports('sqlite');
  const { load } = imports;
  let store: Store;
  beforeEach(() => {
    ({ store } = imports);
  });
  const nameOf = async (id: string): Promise<string | undefined> =>
    (await store.students.ofSchool('http://a.example', 'Y')).find((student) => student.id === id)?.fullName;

  it('reads what Excel leaves in a file: a line with the delimiter, and empty rows', async () => {
    const rows = ['sep=;', 'base_url;name', ';', 'http://c.example;C', ';;;', ' ; '];
    const report = await load({ 'schools.csv': rows.join('\r\n') });
    expect(report).toMatchObject({ files: [{ file: 'schools.csv', newRows: 1 }], problems: [] });
  });

  it('finds files in any case, and refuses a file that is there twice', async () => {
    const text = `${CSV_HEADERS.note_types}\n3,New\n,Bad\n`;
    await expect(load({ 'Note_Types.CSV': text })).resolves.toMatchObject({
      files: [{ file: 'note_types.csv', outcome: 'refused' }],
      problems: [{ file: 'Note_Types.CSV', line: 3 }],
      leftOut: [],
    });
    await expect(load({ 'Note_Types.CSV': text, 'note_types.csv': text })).rejects.toThrow(
      /contains Note_Types\.CSV and note_types\.csv\. Keep only one of them\.$/,
    );
  });

  it('names unknown tables, which block a replacement', async () => {
    const files = {
      ...{ 'schools.csv': `${CSV_HEADERS.schools}\nhttp://a.example,New name\n` },
      ...{ 'Student.CSV': 'x', 'old.xls': 'x', 'read-me.txt': 'x', '~$old.xls': 'x', '.~lock.a.csv': 'x' },
    };
    const report = await load(files, { replace: 'even large parts' });
    expect(report.leftOut).toEqual([
      { name: '.~lock.a.csv', reason: 'lock', isTable: false },
      { name: 'Student.CSV', reason: 'unknown', isTable: true },
      { name: 'old.xls', reason: 'format', isTable: true },
      { name: 'read-me.txt', reason: 'other', isTable: false },
      { name: '~$old.xls', reason: 'lock', isTable: false },
    ]);
    expect(report.files).toMatchObject([{ outcome: 'blocked', changedRows: 1 }]);
    expect(await load(files)).toMatchObject({ files: [{ outcome: 'loaded', changedRows: 1 }] });
  });

  it.each([
    ['windows-1254', 'Çağrı Şimşek İğ'],
    ['windows-1256', 'فاطمة الزهراء'],
    ['windows-1252', 'Zoë Müller €'],
  ] as const)('reads %s if requested, and asks for it otherwise', async (encoding, name) => {
    // More than a chunk of the file.
    const rows = Array.from({ length: 3000 }, (_, at) => `http://a.example,N${String(at)},${name},Y,`);
    const bytes = encode([CSV_HEADERS.students, ...rows].join('\n'), encoding);
    const { problems } = await load({ 'students.csv': bytes });
    expect(problems).toMatchObject([{ line: 2, reason: expect.stringContaining('--encoding') as string }]);
    await expect(load({ 'students.csv': bytes }, { encoding })).resolves.toMatchObject({ problems: [] });
    expect(await nameOf('N2999')).toBe(name);
  });

  it('reads a file with a byte order mark as UTF-8, and refuses bytes that the encoding lacks', async () => {
    const text = `\uFEFF${CSV_HEADERS.students}\nhttp://a.example,S1,Şule,Y,\n`;
    const report = await load({ 'students.csv': text }, { encoding: 'windows-1254' });
    expect(report.problems).toEqual([]);
    expect(await nameOf('S1')).toBe('Şule');
    const bytes = Buffer.from(`${CSV_HEADERS.note_types}\n3,New\n4,\x81\n`, 'latin1');
    await expect(load({ 'note_types.csv': bytes }, { encoding: 'windows-1254' })).resolves.toMatchObject({
      problems: [{ line: 3, reason: 'has a byte that is not in windows-1254' }],
    });
  });

  it('names the encoding of Excel’s “Unicode text”, whatever the encoding that is set', async () => {
    const bytes = Buffer.from(`\uFEFF${CSV_HEADERS.note_types}\n3,New\n`, 'utf16le');
    for (const options of [{}, { encoding: 'windows-1254' }] as const) {
      for (const file of [bytes, Buffer.from(bytes).swap16()]) {
        await expect(load({ 'note_types.csv': file }, options)).resolves.toMatchObject({
          problems: [{ line: 1, reason: 'is UTF-16 (“Unicode text”); save the file as CSV in UTF-8' }],
        });
      }
    }
  });

  it.each([
    ['dmy', '12/3/2026', '2026-03-12'],
    ['dmy', '3.12.2026', '2026-12-03'],
    ['mdy', '12/3/2026', '2026-12-03'],
    ['mdy', '3.12.2026', '2026-12-03'],
    ['mdy', '2026-12-03', '2026-12-03'],
  ] as const)('reads in the order %s the date %s as %s', async (dateOrder, cell, examDate) => {
    const row = `${CSV_HEADERS.exam_entries}\nE2,Maths,${cell},9:05,90\n`;
    await expect(load({ 'exam_entries.csv': row }, { dateOrder })).resolves.toMatchObject({ problems: [] });
    expect((await store.exams.find('E2'))?.entries).toMatchObject([{ examDate, startTime: '09:05' }]);
    const device = (time: string) =>
      `${CSV_HEADERS.devices}\nD1,http://a.example,S1,token-1,android,${time}\n`;
    const withTime = cell.includes('-') ? `${cell}T08:30-03:30` : `${cell} 8:30-03:30`;
    await expect(load({ 'devices.csv': device(withTime) }, { dateOrder })).resolves.toMatchObject({
      problems: [],
    });
    await expect(load({ 'devices.csv': device(`${examDate}T12:00:00Z`) })).resolves.toMatchObject({
      files: [{ unchangedRows: 1 }],
    });
  });

  it('refuses a 13th month in either order, and reads a time with a dotted date', async () => {
    const row = `${CSV_HEADERS.exam_entries}\nE2,Maths,12/13/2026,9:05,90\n`;
    await expect(load({ 'exam_entries.csv': row }, { dateOrder: 'dmy' })).resolves.toMatchObject({
      problems: [{ value: '12/13/2026', reason: 'is not a date (YYYY-MM-DD or D.M.YYYY)' }],
    });
    const device = (time: string) =>
      `${CSV_HEADERS.devices}\nD1,http://a.example,S1,token-1,android,${time}\n`;
    await load({ 'devices.csv': device('20.11.2026 8:30') });
    await expect(load({ 'devices.csv': device('2026-11-20T08:30:00Z') })).resolves.toMatchObject({
      files: [{ unchangedRows: 1 }],
    });
  });

  it('skips extra columns if requested', async () => {
    const text = 'name,,id,teacher,\nNew,1,3,x,y\n';
    const { problems } = await load({ 'note_types.csv': text });
    expect(problems.map(({ column }) => column)).toEqual(['""', '"teacher"', '']);
    await expect(load({ 'note_types.csv': text }, { ignoreExtraColumns: true })).resolves.toMatchObject({
      files: [{ outcome: 'loaded', newRows: 1 }],
    });
  });

  it('reads files, columns and values with other names by a map, and reports errors by these names', async () => {
    const map = IMPORT_MAP.parse({
      'students.csv': {
        file: 'Öğrenciler.csv',
        columns: { school_base_url: 'Okul', id_student: 'No', fullName: 'Ad Soyad', ShowActive: 'Aktif' },
        values: { ShowActive: { Evet: 'Y', Hayır: 'N' } },
      },
    });
    const header = 'No;Okul;Ad Soyad;Aktif;id_class';
    const rows = ['S1;http://a.example;Çağrı;Evet;1A', 'S2;http://a.example;Ali; Hayır ;'];
    const file = 'öğrenciler.CSV'.normalize('NFD');
    await expect(load({ [file]: [header, ...rows].join('\n') }, { map })).resolves.toMatchObject({
      files: [{ file: 'students.csv', outcome: 'loaded', changedRows: 2 }],
      leftOut: [],
    });
    expect(await nameOf('S1')).toBe('Çağrı');
    expect(await nameOf('S2')).toBeUndefined();

    const bad = [header, 'S1;http://a.example;A;Belki;1A', 'S1;http://x.example;A;Evet;'].join('\n');
    const { problems } = await load({ [file]: bad, 'students.csv': 'x' }, { map });
    expect(problems).toMatchObject([
      { file, line: 2, column: 'Aktif', value: 'Belki' },
      { file, line: 3, column: 'Okul', value: 'http://x.example' },
    ]);
    const twice = [header, rows[0], rows[0]].join('\n');
    await expect(load({ [file]: twice, 'students.csv': 'x' }, { map })).resolves.toMatchObject({
      problems: [{ column: 'Okul + No' }],
      leftOut: [{ name: 'students.csv' }],
    });
    await expect(load({ [file]: header.replace('No;', '') }, { map })).resolves.toMatchObject({
      problems: [{ column: 'No', reason: 'is missing from the header (delimiter: semicolon)' }],
    });
    await expect(load({ 'schools.csv': 'x' }, { map })).rejects.toThrow(
      /does not contain Öğrenciler\.csv, which the map names for students\.csv\.$/,
    );
  });
});
