import { writeFileSync } from 'node:fs';

import { CSV_HEADERS, writeCsv } from '../../../scripts/harness';
import type { Store } from '../../../src/store';
import { useImports } from '../../harness/use-imports';
import { claimSize, MAIN, type XlsxCell, type XlsxParts, xlsxParts } from './xlsx-file';
import { zipArchive } from '../../../src/support/zip';
import { makeNamedPipe } from '../../harness/named-pipe';

const STUDENTS = CSV_HEADERS.students.split(',');
const ENTRIES = CSV_HEADERS.exam_entries.split(',');
const A = 'http://a.example';
const UNSOUND = 'is not a valid .xlsx workbook; save it again in the spreadsheet, without a password';

describe('an import of workbooks', () => {
  const imports = useImports('sqlite');
  const { load, newFolder } = imports;
  let store: Store;
  beforeEach(() => {
    ({ store } = imports);
  });
  const loadStudents = (rows: readonly (readonly XlsxCell[])[], options?: Parameters<typeof xlsxParts>[1]) =>
    load({ 'Students.xlsx': zipArchive(xlsxParts({ Sheet1: [STUDENTS, ...rows] }, options)) });

  it('reads texts, numbers, empty cells and empty rows like a CSV file with the same cells', async () => {
    const report = await loadStudents([
      [A, '007', 'Çağrı & "Şule" <i>', 'Y', '1A'],
      [],
      ['', ' ', ''],
      [A, 42, 'Line\none_x000D_', 'Y'],
      [
        A,
        { xml: '<c t="inlineStr"><is><r><t>S</t></r><r><t>9</t></r><rPh><t>x</t></rPh></is></c>' },
        'C',
        'Y',
      ],
      [A, { xml: '<c t="str"><f>A1</f><v>F1</v></c>' }, 'TRUE', 'Y', ''],
    ]);
    expect(report).toMatchObject({ problems: [], files: [{ file: 'students.csv', newRows: 4 }] });
    const students = await store.students.ofSchool(A, 'Y');
    expect(students.map(({ id, fullName }) => [id, fullName])).toEqual([
      ['007', 'Çağrı & "Şule" <i>'],
      ['42', 'Line\none\r'],
      ['F1', 'TRUE'],
      ['S1', 'Çağrı Şimşek'],
      ['S2', 'فاطمة'],
      ['S9', 'C'],
    ]);
  });

  it('reads letters of several bytes wherever the pieces of a sheet end', async () => {
    // A sheet of 240 KB comes in several pieces, which may end at any byte.
    const names = Array.from(
      { length: 600 },
      (_, at) => `${String(at).padStart(4, '0')} ${'ş€🎓ğ'.repeat(20)}`,
    );
    const cell = (value: string) => ({ xml: `<c t="inlineStr"><is><t>${value}</t></is></c>` });
    const rows = names.map((name, at) => [A, `N${String(at)}`, name, 'Y'].map(cell));
    const report = await loadStudents(rows);
    expect(report).toMatchObject({ problems: [], files: [{ newRows: 600 }] });
    const stored = await store.students.ofSchool(A, 'Y');
    expect(stored.map(({ fullName }) => fullName)).toEqual(expect.arrayContaining(names));
  });

  /** Imports students with numbers for ids, each with a format of its own. */
  const loadNumbers = (numbers: readonly (readonly [code: string, value: number, ...unknown[]])[]) =>
    loadStudents(
      numbers.map(([, value], at) => [A, [value, at + 1], `New ${String(at)}`, 'Y', '']),
      { formats: numbers.map(([code]) => code) },
    );

  it('reads numbers as Excel shows them with their format', async () => {
    const numbers = [
      ['General', 12_345_678_901, '12345678901'],
      ['00000', 42, '00042'],
      ['0', 123_457_000_000, '123457000000'],
      ['#,##0', 999, '999'],
      ['@', 7, '7'],
      ['[Red]0;-0', 8, '8'],
    ] as const;
    await expect(loadNumbers(numbers)).resolves.toMatchObject({ problems: [] });
    const stored = await store.students.ofSchool(A, 'Y');
    const ids = new Map(stored.map(({ id, fullName }) => [fullName, id]));
    expect(numbers.map((_, at) => ids.get(`New ${String(at)}`))).toEqual(numbers.map(([, , id]) => id));
  });

  it('refuses numbers that Excel may show otherwise', async () => {
    const numbers = [
      ['General', 123_457_000_000, 'is a number in scientific notation, which has lost digits'],
      ['General', 1e11, 'is a number in scientific notation, which has lost digits'],
      ['0', 1.234_567_890_123_456e16, 'is a number in scientific notation, which has lost digits'],
      ['#,##0', 1234, 'has the number format #,##0; format the column as text'],
      ['"S"0000', 12, 'has the number format "S"0000; format the column as text'],
      ['"'.repeat(300), 1, `has the number format ${'"'.repeat(40)}; format the column as text`],
      ['0%', 1, 'has the number format 0%; format the column as text'],
      ['General', 1.5, 'has decimals, which each computer shows with its own sign'],
      ['0.00', 1.5, 'has decimals, which each computer shows with its own sign'],
      ['[$€-407]0', 12, 'has the number format [$€-407]0; format the column as text'],
      ['0;;', -12, 'has the number format 0;;; format the column as text'],
      [';;;', 12, 'has the number format ;;;; format the column as text'],
      ['[>100]0;0', 12, 'has the number format [>100]0;0; format the column as text'],
      ['[$-2000401]0', 12, 'has the number format [$-2000401]0; format the column as text'],
      ['d.m.yyyy', 46_359, 'is a date or time, which a spreadsheet makes of texts such as 9-1'],
      ['d-mmm', 46_359, 'is a date or time, which a spreadsheet makes of texts such as 9-1'],
    ] as const;
    const { problems } = await loadNumbers(numbers);
    expect(problems).toMatchObject(
      numbers.map(([, , reason], at) => ({
        ...{ file: 'Students.xlsx', line: at + 2, column: 'id_student' },
        reason: expect.stringContaining(reason) as string,
      })),
    );
  });

  it.each([
    ['0', 0],
    ['false', 0],
    ['1', 1462],
    ['true', 1462],
  ] as const)('reads dates and times of a workbook with date1904="%s"', async (date1904, shift) => {
    const day = 46_359 - shift; // 3 December 2026
    const isoCell = (time: string, format: number): XlsxCell => ({
      xml: `<c s="${String(format)}" t="d"><v>${time}</v></c>`,
    });
    const formats = ['dd/mm/yyyy', '[$-41F]d mmmm yyyy', 'h:mm', 'hh:mm:ss', 'yyyy-mm-dd"T"hh:mm'];
    const parts = xlsxParts(
      {
        X: [
          ENTRIES,
          ['E2', 'Maths', [day, 1], [0.375, 3], 90],
          ['E2', 'Art', [day + 0.5, 2], [day + 1439 / 1440, 4], 40],
          ['E2', 'Music', '3.12.2026', '9:00', '40'],
          // As ISO 8601, which some programs write in either calendar.
          ['E2', 'Sports', isoCell('2026-12-03', 1), isoCell('2026-12-03T09:00:00', 3), 40],
        ],
      },
      { formats, date1904 },
    );
    await expect(load({ 'exam_entries.xlsx': zipArchive(parts) })).resolves.toMatchObject({ problems: [] });
    const { entries = [] } = (await store.exams.find('E2')) ?? {};
    expect(entries.map(({ subjectName, examDate, startTime }) => [subjectName, examDate, startTime])).toEqual(
      [
        ['Maths', '2026-12-03', '09:00'],
        ['Music', '2026-12-03', '09:00'],
        ['Sports', '2026-12-03', '09:00'],
        ['Art', '2026-12-03', '23:59'],
      ],
    );
    const seen = (time: XlsxCell) => {
      const rows = [CSV_HEADERS.devices.split(','), ['D1', A, 'S1', 'token-1', 'android', time]];
      return load({ 'devices.xlsx': zipArchive(xlsxParts({ X: rows }, { formats, date1904 })) });
    };
    await seen([day + 8.5 / 24, 5]);
    await expect(seen('2026-12-03T08:30:00Z')).resolves.toMatchObject({ files: [{ unchangedRows: 1 }] });
  });

  it('reports errors in cells with the line of the sheet', async () => {
    const report = await loadStudents(
      [
        [A, { xml: '<c t="e"><v>#REF!</v></c>' }, 'New', 'Y', ''],
        [],
        [A, { xml: '<c><f>1+1</f></c>' }, 'New', 'YES', ''],
        [A, 'S8', 'New', 'Y', '', 'more'],
        [A, [-1, 1], 'New', 'Y', ''],
        [A, [60, 1], 'New', 'Y', ''],
      ],
      { formats: ['d.m.yyyy'] },
    );
    expect(report.problems).toMatchObject([
      { line: 2, column: 'id_student', reason: 'is a spreadsheet error value; correct the formula' },
      {
        line: 4,
        column: 'id_student',
        reason: 'is a formula without a result; save the workbook again in the spreadsheet',
      },
      { line: 4, column: 'ShowActive', value: 'YES' },
      { line: 5, column: '', reason: 'has 6 cells, the header 5' },
      { line: 6, column: 'id_student', reason: 'is not a date that can be shown' },
      { line: 7, column: 'id_student', reason: 'is not a date that can be shown' },
    ]);
  });

  it('reads the sheet named like the file if there are several', async () => {
    const rows = [STUDENTS, [A, 'S7', 'New', 'Y', '']];
    const several = zipArchive(xlsxParts({ Notes: [['x']], STUDENTS: rows }));
    await expect(load({ 'students.xlsx': several })).resolves.toMatchObject({ files: [{ newRows: 1 }] });
    const unnamed = zipArchive(xlsxParts({ Notes: [['x']], Sheet2: rows }));
    await expect(load({ 'students.xlsx': unnamed })).resolves.toMatchObject({
      problems: [{ line: 1, reason: 'has 2 sheets; name one of them students or keep only one' }],
    });
    await expect(load({ 'students.xlsx': several, 'students.csv': Buffer.from('x') })).rejects.toThrow(
      /contains students\.csv and students\.xlsx\. Keep only one of them\.$/,
    );
  });

  it('reads a workbook with a sheet for each file', async () => {
    const folder = writeCsv(newFolder(), {});
    const sheets = {
      Students: [STUDENTS, [A, 'S7', 'New', 'Y', '']],
      Öğrenci: [['x']],
      Sınavlar: [CSV_HEADERS.exams.split(','), ['E9', 'New'], ['', 'Bad']],
    };
    const path = `${folder}/school.XLSX`;
    writeFileSync(path, zipArchive(xlsxParts(sheets)));
    const map = { 'exams.csv': { file: 'Sınavlar.xlsx' } };
    await expect(store.importFolder(path, { map })).resolves.toMatchObject({
      files: [
        { file: 'students.csv', outcome: 'loaded', newRows: 1 },
        { file: 'exams.csv', outcome: 'refused' },
      ],
      problems: [{ file: 'Sınavlar', line: 3 }],
      leftOut: [{ name: 'Öğrenci', reason: 'unknown', isTable: true }],
    });
    writeFileSync(path, zipArchive(xlsxParts({ Sheet1: sheets.Students })));
    await expect(store.importFolder(path)).rejects.toThrow(/school\.XLSX contains no import files\. /);
    writeFileSync(path, 'base_url,name');
    await expect(store.importFolder(path)).rejects.toMatchObject({
      name: 'FolderError',
      message: `${path} ${UNSOUND}.`,
    });
    makeNamedPipe(`${folder}/pipe.xlsx`);
    await expect(store.importFolder(`${folder}/pipe.xlsx`)).rejects.toThrow(/is not a regular file\.$/);
    await expect(store.importFolder(`${folder}/none.xlsx`)).rejects.toThrow(
      /^Cannot read .*none\.xlsx \(ENOENT\)\.$/,
    );
  });

  const good = xlsxParts({ Sheet1: [STUDENTS, [A, 'S7', 'New', 'Y', '']] });
  const SHEET = 'xl/worksheets/sheet1.xml';
  const without = (part: string): XlsxParts =>
    Object.fromEntries(Object.entries(good).filter(([name]) => name !== part));
  const sheetOf = (xml: string): XlsxParts => ({
    ...good,
    [SHEET]: xml.replace('<worksheet>', `<worksheet xmlns="${MAIN}">`),
  });

  it.each([
    ['a file that is not an archive', Buffer.from('PK\u0003\u0004 and nothing more')],
    ['an archive without a workbook', zipArchive({ 'a.txt': 'x' })],
    ['a workbook without its sheet', zipArchive(without(SHEET))],
    ['a truncated archive', zipArchive(good).subarray(0, -40)],
    [
      'bytes that are not UTF-8',
      zipArchive({ ...good, [SHEET]: Buffer.from('<worksheet>\xff</worksheet>', 'latin1') }),
    ],
    ['a truncated sheet', zipArchive(sheetOf('<worksheet><sheetData><row r="1">'))],
    ['a document type', zipArchive(sheetOf('<!DOCTYPE x [<!ENTITY e "x">]><worksheet>&e;</worksheet>'))],
    ['rows in descending order', zipArchive(sheetOf('<worksheet><row r="2"/><row r="1"/></worksheet>'))],
    ['a row far below', zipArchive(sheetOf('<worksheet><row r="99999999"/></worksheet>'))],
    ['a cell far to the right', zipArchive(sheetOf('<worksheet><row><c r="XFE1"/></row></worksheet>'))],
    ['a cell without a row number', zipArchive(sheetOf('<worksheet><row><c r="A"/></row></worksheet>'))],
    [
      'a missing shared text',
      zipArchive(sheetOf('<worksheet><row><c t="s"><v>99</v></c></row></worksheet>')),
    ],
    ['an invalid number', zipArchive(sheetOf('<worksheet><row><c><v>x</v></c></row></worksheet>'))],
    ['a part larger than declared', claimSize(zipArchive(good), SHEET, 10)],
  ])('refuses %s', async (_, bytes) => {
    const { problems } = await load({ 'students.xlsx': bytes });
    expect(problems).toMatchObject([{ file: 'students.xlsx', reason: UNSOUND }]);
  });

  it('limits what it reads from a workbook that is small only while compressed', async () => {
    const bomb = (part: string, size: number) => claimSize(zipArchive(good), part, size);
    await expect(load({ 'students.xlsx': bomb(SHEET, 2 ** 31) })).resolves.toMatchObject({
      problems: [{ reason: `is too large: ${SHEET} has more than 1024 MB` }],
    });
    await expect(load({ 'students.xlsx': bomb('xl/sharedStrings.xml', 2 ** 28) })).resolves.toMatchObject({
      problems: [{ reason: 'is too large: xl/sharedStrings.xml has more than 128 MB' }],
    });
    await expect(load({ 'students.xlsx': bomb('xl/workbook.xml', 2 ** 28) })).resolves.toMatchObject({
      problems: [{ reason: 'is too large: xl/workbook.xml has more than 128 MB' }],
    });
    const long = sheetOf(`<worksheet><row><c t="str"><v>${'x'.repeat(3_000_000)}</v></c></row></worksheet>`);
    await expect(load({ 'students.xlsx': zipArchive(long) })).resolves.toMatchObject({
      problems: [{ reason: 'has a cell that is too long' }],
    });
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${String(at)}.xml`, '']));
    await expect(load({ 'students.xlsx': zipArchive(many) })).resolves.toMatchObject({
      problems: [{ reason: 'has too many parts' }],
    });
  });
});
