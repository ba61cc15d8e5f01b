// Has LibreOffice write the workbooks of this folder, and a CSV file for each of their sheets, from sheets with every kind of cell:
// `npm run build:all && node build/test/features/workbooks/corpus/make-corpus.js` on Debian with libreoffice-calc.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fromBufferPromise } from 'yauzl';

import { PACKAGE_ROOT } from '../../../../scripts/harness';
import { type XlsxCell, xlsxParts } from '../xlsx-file';
import { zipArchive } from '../../../../src/support/zip';

const FOLDER = join(PACKAGE_ROOT, 'test/features/workbooks/corpus');
const HEADER = ['exam_id', 'name', 'exam_date', 'start_time', 'duration_minutes'];
/** Codes of the formats; cells name them by their place in this list, which begins with 1. */
const FORMATS = [
  ...['00000', '0%', '[$₺-41F]#,##0.00', '0 "€"', '#,##0', '# ?/?', '0.00E+00', '0.00', '0'],
  ...[
    'dd.mm.yyyy',
    'yyyy-mm-dd',
    '[$-41F]d mmmm yyyy',
    'mm/dd/yyyy',
    'dd.mm.yyyy hh:mm',
    'd-mmm',
    'mmm yyyy',
  ],
  ...['h:mm', 'hh:mm:ss', 'h:mm AM/PM', '[h]:mm', 'mm:ss', '0;0', '@'],
];
const as = (code: string, value: number): XlsxCell => {
  const at = FORMATS.indexOf(code);
  if (at === -1) throw new Error(`No format ${code}`);
  return [value, at + 1];
};
const DAY = 46_359;
const xml = (content: string): XlsxCell => ({ xml: `<c ${content}</c>` });
const formula = (text: string): XlsxCell => xml(`><f>${text}</f>`);

type Row = readonly XlsxCell[];
/** A row with some cells that are not plain. */
const row = (change: Partial<Record<'id' | 'text' | 'date' | 'time' | 'number', XlsxCell>>): Row => [
  change.id ?? 'E1',
  change.text ?? 'Exam',
  change.date ?? '2026-12-03',
  change.time ?? '09:00',
  change.number ?? '60',
];
const rows = (column: 'id' | 'text' | 'date' | 'time' | 'number', ...cells: readonly XlsxCell[]): Row[] =>
  cells.map((cell) => row({ [column]: cell }));

/** Sheets by name; those of dates are also written in the calendar of 1904. */
function sheetsOf(first: number): Readonly<Record<string, readonly Row[]>> {
  const day = DAY - first;
  return {
    turkish: rows('text', 'İstanbul', 'ılık', 'Çağrı Şimşek', 'ĞÜŞİÖÇ ğüşıöç'),
    arabic: rows('text', 'فاطمة الزهراء', '٣', 'علي 5'),
    symbols: rows('text', '🎓 A', '東京', 'a\u200Db', '<&>"\''),
    quotes: rows('text', 'a,b', 'a;b', '"a"', 'a\nb', "it's"),
    blanks: rows('id', ' 9A ', '\u00A09B', '9C\u00A0'),
    'blank dates': [...rows('date', ' 03.12.2026 ', '\u00A02026-12-03'), ...rows('time', ' 9:00 ')],
    zeros: [...rows('id', '007', as('00000', 7)), ...rows('text', as('00000', 42))],
    'numbers as text': [...rows('id', '42', '1.5', '1E5'), ...rows('number', '45')],
    whole: [...rows('id', 42, 12_345_678_901), ...rows('number', 45, as('0', 45))],
    long: rows('id', 123_457_000_000, 1e15, as('0', 1e16)),
    decimals: [...rows('id', 1.5, as('0.00', 2)), ...rows('text', 0.1), ...rows('number', 45.5)],
    percent: rows('text', as('0%', 0.5), as('0%', 1)),
    lira: rows('text', as('[$₺-41F]#,##0.00', 5)),
    euro: rows('text', as('0 "€"', 5)),
    grouped: rows('id', as('#,##0', 1234), as('#,##0', 999)),
    fractions: rows('text', as('# ?/?', 0.5)),
    exponents: rows('id', as('0.00E+00', 5)),
    negative: rows('text', -5, as('0;0', -5), as('0', -5)),
    dates: rows('date', as('dd.mm.yyyy', day), as('dd.mm.yyyy', day + 100), as('dd.mm.yyyy', day + 0.4)),
    'iso dates': rows('date', as('yyyy-mm-dd', day), as('yyyy-mm-dd', day - 6359)),
    'long dates': rows('date', as('[$-41F]d mmmm yyyy', day)),
    'us dates': rows('date', as('mm/dd/yyyy', day)),
    midnights: rows('date', as('dd.mm.yyyy hh:mm', day)),
    moments: rows('date', as('dd.mm.yyyy hh:mm', day + 0.4)),
    'partial dates': rows('date', as('d-mmm', day), as('mmm yyyy', day)),
    times: rows('time', as('h:mm', 0.375), as('h:mm', 1439 / 1440)),
    seconds: rows('time', as('hh:mm:ss', 0.375), as('hh:mm:ss', 0.3751)),
    halves: rows('time', as('h:mm AM/PM', 0.375), as('h:mm AM/PM', 0.75), as('h:mm AM/PM', 0.01)),
    elapsed: rows('time', as('[h]:mm', 0.375), as('[h]:mm', 1.5)),
    minutes: rows('time', as('mm:ss', 0.01)),
    'dates as ids': rows('id', as('d-mmm', day), as('dd.mm.yyyy', day), as('h:mm', 0.5)),
    'dates as names': rows('text', as('d-mmm', day), as('yyyy-mm-dd', day), as('h:mm', 0.5)),
    formulas: [
      ...rows('id', formula('1+1'), formula('"A"&amp;1')),
      ...rows('text', formula('UPPER("x")'), formula('""')),
      row({ date: formula('DATE(2026,12,3)'), number: formula('30*2') }),
    ],
    errors: [...rows('text', formula('1/0'), formula('NA()')), ...rows('id', formula('VALUE("x")'))],
    truth: rows('text', xml('t="b"><v>1</v>'), formula('1=2')),
    'rich text': rows(
      'text',
      xml('t="inlineStr"><is><r><t>Çağ</t></r><r><rPr><b/></rPr><t xml:space="preserve">rı </t></r></is>'),
      'a\tb',
    ),
    merged: [row({}), row({ text: '', id: 'E2' }), row({ text: '', id: 'E3' }), row({ id: 'E4' })],
    'merged columns': [row({ date: '' }), row({ id: 'E2' })],
    'hidden row': [row({}), row({ id: 'E2' }), row({ id: 'E3' })],
    'hidden column': [row({})],
    'hidden sheet': [row({})],
    'trailing cells': [[...row({}), '', ' '], row({ id: 'E2' })],
  };
}

const NAMES = Object.keys(sheetsOf(0));

/** Changes of the XML of a sheet, by its name. */
const CHANGES: Readonly<Record<string, (sheet: string) => string>> = {
  merged: (sheet) => sheet.replace('</sheetData>', '$&<mergeCells><mergeCell ref="B2:B4"/></mergeCells>'),
  'merged columns': (sheet) =>
    sheet.replace('</sheetData>', '$&<mergeCells><mergeCell ref="B2:C2"/></mergeCells>'),
  'hidden row': (sheet) => sheet.replace('<row r="3"', '$& hidden="1"'),
  'hidden column': (sheet) =>
    sheet.replace('<sheetData>', '<cols><col min="2" max="2" width="9" hidden="1"/></cols>$&'),
};

function source(date1904: '0' | '1'): Buffer {
  const sheets = sheetsOf(date1904 === '1' ? 1462 : 0);
  const parts = xlsxParts(
    Object.fromEntries(Object.entries(sheets).map(([name, table]) => [name, [HEADER, ...table]])),
    { formats: FORMATS, date1904 },
  );
  const changed = Object.entries(parts).map(([name, content]) => {
    const at = Number(/sheet(\d+)\.xml$/.exec(name)?.[1] ?? 0) - 1;
    const change = CHANGES[NAMES[at] ?? ''];
    return [name, change === undefined ? content : change(String(content))] as const;
  });
  const book = String(parts['xl/workbook.xml']).replace('name="hidden sheet"', '$& state="hidden"');
  const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>${NAMES.map((_, at) => `<Override PartName="/xl/worksheets/sheet${String(at + 1)}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}</Types>`;
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  return zipArchive({
    '[Content_Types].xml': types,
    '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${office}" Target="xl/workbook.xml"/></Relationships>`,
    ...Object.fromEntries(changed),
    'xl/workbook.xml': book,
  });
}

/** Namespaces of strict documents, which LibreOffice does not write. */
const STRICT = [
  [
    'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
    'http://purl.oclc.org/ooxml/spreadsheetml/main',
  ],
  [
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
    'http://purl.oclc.org/ooxml/officeDocument/relationships',
  ],
] as const;

async function strictCopy(path: string): Promise<Buffer> {
  const zip = await fromBufferPromise(readFileSync(path), { lazyEntries: true });
  const parts: Record<string, Buffer> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const text = STRICT.reduce(
      (xmlText, [from, to]) => xmlText.replaceAll(from, to),
      Buffer.concat(chunks).toString(),
    );
    parts[entry.fileName] = Buffer.from(text);
  }
  return zipArchive(parts);
}

function convert(file: string, format: string, folder: string): void {
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  execFileSync('soffice', [profile, '--headless', '--convert-to', format, '--outdir', folder, file], {
    stdio: 'inherit',
  });
}

/** Comma, quotation mark, UTF-8, from line 1, cells as they are shown, all sheets. */
const CSV = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1';

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  for (const [name, date1904] of [
    ['from-1900', '0'],
    ['from-1904', '1'],
  ] as const) {
    const from = join(folder, `source-${name}.xlsx`);
    writeFileSync(from, source(date1904));
    const written = join(FOLDER, `${name}.xlsx`);
    convert(from, 'ods', folder);
    convert(join(folder, `source-${name}.ods`), 'xlsx:Calc MS Excel 2007 XML', folder);
    renameSync(join(folder, `source-${name}.xlsx`), written);
  }
  convert(join(FOLDER, 'from-1900.xlsx'), CSV, folder);
  for (const name of NAMES) {
    renameSync(join(folder, `from-1900-${name}.csv`), join(FOLDER, `${name.replaceAll(' ', '-')}.csv`));
  }
  writeFileSync(join(FOLDER, 'strict.xlsx'), await strictCopy(join(FOLDER, 'from-1900.xlsx')));
  rmSync(folder, { recursive: true });
}

void main();
