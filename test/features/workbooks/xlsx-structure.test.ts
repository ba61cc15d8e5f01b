// What a workbook consists of, beyond its cells: namespaces, parts, hidden and merged areas.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CSV_FILES, type CsvFile } from '../../../src/store/csv/csv-files';
import { cellName } from '../../../src/features/workbooks/cell-name';
import { readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { RowReader } from '../../../src/store/csv/stage-file';
import { openToRead } from '../../../src/support/regular-file';
import { openThenReplace } from '../../harness/named-pipe';
import { useFolderPerTest } from '../../harness/use-folder';
import { MAIN, type XlsxCell, type XlsxParts, xlsxParts } from './xlsx-file';
import { zipArchive } from '../../../src/support/zip';

const folder = useFolderPerTest();
const SHEET = 'xl/worksheets/sheet1.xml';
const [CLASSES] = CSV_FILES.filter(({ file }) => file === 'classes.csv') as [CsvFile];
const HEADER = ['school_base_url', 'id_class', 'name'];
const URL = 'http://a.example';

type Rows = readonly (readonly XlsxCell[])[];
const workbook = (rows: Rows, header: readonly XlsxCell[] = HEADER): XlsxParts =>
  xlsxParts({ Tabelle1: [header, ...rows] });

/** Changes the XML of a part. */
const changed = (parts: XlsxParts, part: string, change: (xml: string) => string): XlsxParts => ({
  ...parts,
  [part]: change(String(parts[part])),
});
const after = (xml: string): ((sheet: string) => string) => {
  return (sheet) => sheet.replace('</sheetData>', `</sheetData>${xml}`);
};
const merges = (...areas: readonly string[]): ((sheet: string) => string) =>
  after(`<mergeCells>${areas.map((area) => `<mergeCell ref="${area}"/>`).join('')}</mergeCells>`);

/** Returns the rows as they are read, and the problems with the places of their cells. */
async function read(parts: XlsxParts): Promise<{ rows: unknown[]; problems: string[] }> {
  const path = join(folder(), 'a.xlsx');
  writeFileSync(path, zipArchive(parts));
  const file = await openToRead(path);
  try {
    let reader: RowReader | undefined;
    const rows: unknown[] = [];
    const problems: string[] = [];
    for await (const record of readXlsx(file, 'classes')) {
      const row = reader?.read(record);
      if (row !== undefined) rows.push(row.values?.slice(1, 3));
      const { problems: found } =
        row ??
        (reader = new RowReader(CLASSES, record, { cellName: (...place) => cellName('My list', ...place) }));
      problems.push(...found.map(({ cell = '', reason }) => `${cell}: ${reason}`));
    }
    return { rows, problems };
  } finally {
    await file.handle.close();
  }
}

const STRICT = {
  [MAIN]: 'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships':
    'http://purl.oclc.org/ooxml/officeDocument/relationships',
};

it('reads the workbook that it opened, whatever takes its name', async () => {
  const path = join(folder(), 'a.xlsx');
  writeFileSync(path, zipArchive(workbook([[URL, '1A', 'One']])));
  const opened = await openThenReplace(path);
  const cells: unknown[] = [];
  for await (const record of readXlsx(opened, 'classes')) cells.push(record.cells);
  await opened.handle.close();
  expect(cells[1]).toEqual([URL, '1A', 'One']);
});

it('reads strict Open XML, other names of the parts, and prefixes', async () => {
  const parts = workbook([[URL, '1A', 'One']]);
  const strict = Object.fromEntries(
    Object.entries(parts).map(([name, xml]) => [
      name,
      Object.entries(STRICT).reduce((text, [from, to]) => text.replaceAll(from, to), String(xml)),
    ]),
  );
  await expect(read(strict)).resolves.toEqual({ rows: [['1A', 'One']], problems: [] });
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  const { 'xl/workbook.xml': main = '', 'xl/_rels/workbook.xml.rels': relations = '', ...others } = parts;
  const renamed = {
    ...Object.fromEntries(
      Object.entries(others).map(([name, xml]) => [name.replace('sheet1', 'Sheet1'), xml]),
    ),
    '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${office}" Target="xl/workbook22.xml"/></Relationships>`,
    'xl/workbook22.xml': main,
    'xl/_rels/workbook22.xml.rels': relations,
  };
  await expect(read(renamed)).resolves.toEqual({ rows: [['1A', 'One']], problems: [] });
  const prefixed = changed(parts, SHEET, (xml) =>
    xml.replace(/<(\/?)(?=[a-z])/g, '<$1x:').replace('xmlns=', 'xmlns:x='),
  );
  await expect(read(prefixed)).resolves.toEqual({ rows: [['1A', 'One']], problems: [] });
});

it('reads nothing of extensions, whatever their elements are called', async () => {
  const row = '<row r="9"><c r="A9"><v>9</v></c></row>';
  const parts = changed(workbook([[URL, '1A', 'One']]), SHEET, (xml) =>
    after(
      `<extLst><ext xmlns:x15="urn:x15"><x15:row r="9"><x15:c r="A9"/></x15:row></ext><ext xmlns="urn:other">${row}</ext></extLst>`,
    )(xml),
  );
  await expect(read(parts)).resolves.toEqual({ rows: [['1A', 'One']], problems: [] });
});

it('finds columns whatever the case of their letters, and refuses one that is there twice', async () => {
  const rows = [[URL, '1A', 'One']];
  await expect(read(workbook(rows, ['SCHOOL_BASE_URL', ' İD_Class', 'Name\u00A0']))).resolves.toEqual({
    ...{ rows: [['1A', 'One']], problems: [] },
  });
  const twice = await read(workbook([], [...HEADER, 'NAME']));
  expect(twice.problems).toEqual(["'My list'!D1: is in the header twice"]);
});

it('refuses hidden rows and columns that have something', async () => {
  const parts = changed(workbook([[URL, '1A', 'One'], [URL, '1B', 'Two'], []]), SHEET, (xml) =>
    xml
      .replace('<row r="3"', '<row r="3" hidden="1"')
      .replace('<sheetData>', '<cols><col min="2" max="2" width="0" hidden="true"/></cols><sheetData>'),
  );
  await expect(read(parts)).resolves.toEqual({
    rows: [['1A', 'One'], undefined],
    problems: [
      "'My list'!B1: is a hidden column; unhide it",
      "'My list'!A3: is a hidden row; clear the filter and unhide the row, or delete it",
    ],
  });
});

it('reads a merged value in each row that has something of its own', async () => {
  const parts = changed(
    workbook([[URL, '1A', 'One'], ['', '1B', ''], [], ['', '1C', 'Three']]),
    SHEET,
    merges('A2:A5', 'C2:C3'),
  );
  await expect(read(parts)).resolves.toEqual({
    rows: [
      ['1A', 'One'],
      ['1B', 'One'],
      ['1C', 'Three'],
    ],
    problems: [],
  });
});

it('refuses cells that are merged over columns, or with the header', async () => {
  const rows = [
    [URL, '1A', ''],
    ['', '1B', 'Two'],
  ];
  await expect(read(changed(workbook(rows), SHEET, merges('A1:A3')))).resolves.toMatchObject({
    problems: [
      "'My list'!A2: is merged with the header; unmerge the cells",
      "'My list'!A3: is merged with the header; unmerge the cells",
    ],
  });
  await expect(read(changed(workbook(rows), SHEET, merges('B2:C2')))).resolves.toMatchObject({
    problems: [
      "'My list'!B2: is merged over several columns; unmerge the cells",
      "'My list'!C2: is merged over several columns; unmerge the cells",
      "'My list'!A3: is empty",
    ],
  });
});

it.each(['A1:XFD1048576', 'B2:A1', 'x'])('refuses the merged area %s', async (area) => {
  await expect(read(changed(workbook([[URL, '1A', 'One']]), SHEET, merges(area)))).rejects.toMatchObject({
    name: 'Error',
  });
});
