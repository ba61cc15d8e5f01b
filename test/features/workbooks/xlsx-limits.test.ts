// Workbooks that would take much memory or time: each is refused as soon as it exceeds a limit.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readXlsx } from '../../../src/features/workbooks/read-xlsx';
import { openToRead } from '../../../src/support/regular-file';
import { useFolderPerTest } from '../../harness/use-folder';
import { MAIN, type XlsxParts, xlsxParts } from './xlsx-file';
import { zipArchive } from '../../../src/support/zip';

const folder = useFolderPerTest();
const good = xlsxParts({ Sheet1: [['a'], ['b']] });
const SHEET = 'xl/worksheets/sheet1.xml';

const nested = (depth: number): string => '<x>'.repeat(depth) + '</x>'.repeat(depth);
const sheetOf = (xml: string): XlsxParts => ({
  ...good,
  [SHEET]: `<worksheet xmlns="${MAIN}">${xml}</worksheet>`,
});
const stylesOf = (codes: number, formats: number): XlsxParts => ({
  ...good,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${Array.from(
    { length: codes },
    (_, at) => `<numFmt numFmtId="${String(at + 200)}" formatCode="0"/>`,
  ).join('')}<cellXfs>${'<xf numFmtId="0"/>'.repeat(formats)}</cellXfs></styleSheet>`,
});
const RELATIONSHIP = '<Relationship Id="x#" Type="x" Target="x"/>';
/** Adds 10,001 elements at the end of a part, each with its own number for `#`. */
const more = (part: string, element: string): XlsxParts => ({
  ...good,
  [part]: String(good[part]).replace(/(?=<\/[^<]*>\s*$)/, () =>
    Array.from({ length: 10_001 }, (_, at) => element.replace('#', String(at))).join(''),
  ),
});
const cellsOf = (cells: number, rows = 1): XlsxParts => {
  const cell = `<c t="inlineStr"><is><t>${'x'.repeat(1_000_000)}</t></is></c>`;
  return sheetOf(`<sheetData>${`<row>${cell.repeat(cells)}</row>`.repeat(rows)}</sheetData>`);
};

/** Returns the number of rows, or why the workbook is refused. */
async function read(parts: XlsxParts): Promise<unknown> {
  const path = join(folder(), 'a.xlsx');
  writeFileSync(path, zipArchive(parts));
  const file = await openToRead(path);
  let rows = 0;
  try {
    for await (const { line } of readXlsx(file, 'a')) rows += Math.sign(line);
    return rows;
  } catch (error) {
    return (error as Partial<{ readonly reason: string }>).reason;
  } finally {
    await file.handle.close();
  }
}

it.each<readonly [string, XlsxParts, unknown]>([
  ['100 levels', sheetOf(nested(99)), 0],
  ['101 levels', sheetOf(nested(100)), 'is nested too deep'],
  ['levels that are never closed', sheetOf('<x>'.repeat(1_000_000)), 'is nested too deep'],
  [
    'deep styles',
    { ...good, 'xl/styles.xml': `<x xmlns="${MAIN}">${'<x>'.repeat(1_000_000)}` },
    'is nested too deep',
  ],
  ['65,536 cell formats', stylesOf(1, 65_536), 2],
  ['65,537 cell formats', stylesOf(1, 65_537), 'has too many cell formats'],
  ['5,001 number formats', stylesOf(5001, 1), 'has too many number formats'],
  ['10,001 sheets', more('xl/workbook.xml', '<sheet name="x"/>'), 'has too many sheets'],
  ['10,001 parts', more('xl/_rels/workbook.xml.rels', RELATIONSHIP), 'has too many parts'],
  ['a row of 8 MB', cellsOf(8), 1],
  ['two rows of 8 MB', cellsOf(8, 2), 2],
  ['a row of 9 MB', cellsOf(9), 'has a row that is too long'],
])('a workbook with %s', async (_what, parts, expected) => {
  expect(await read(parts)).toBe(expected);
});
