/** The parts of a workbook, by name. */
export type XlsxParts = Readonly<Record<string, string | Buffer>>;

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Claims another size of a part in an archive, in both records of it. */
export function claimSize(archive: Buffer, part: string, size: number): Buffer {
  const claimed = Buffer.from(archive);
  // Each record has the size before the name: the part's own, and the directory's.
  claimed.writeUInt32LE(size, archive.indexOf(part) - 8);
  claimed.writeUInt32LE(size, archive.lastIndexOf(part) - 22);
  return claimed;
}

/** A cell: a text, a number with the number of a format of `formats`, or its XML. */
export type XlsxCell = string | number | readonly [value: number, format: number] | { readonly xml: string };

interface Options {
  /** Codes of the formats 1, 2 and so on; 0 is General. */
  readonly formats?: readonly string[];
  /** As it is written; true for the calendar of old Macs. */
  readonly date1904?: '0' | '1' | 'false' | 'true';
}

/** The parts of a workbook with these sheets, as Excel writes them: texts once, and only the cells that have something. */
export function xlsxParts(
  sheets: Readonly<Record<string, readonly (readonly XlsxCell[])[]>>,
  { formats = [], date1904 = '0' }: Options = {},
): XlsxParts {
  const texts: string[] = [];
  const cell = (value: XlsxCell, reference: string): string => {
    if (value === '') return '';
    if (typeof value === 'string')
      return `<c r="${reference}" t="s"><v>${String(texts.push(value) - 1)}</v></c>`;
    if (typeof value === 'number') return `<c r="${reference}"><v>${String(value)}</v></c>`;
    if ('xml' in value) return value.xml.replace('<c', `<c r="${reference}"`);
    return `<c r="${reference}" s="${String(value[1])}"><v>${String(value[0])}</v></c>`;
  };
  const row = (cells: readonly XlsxCell[], at: number): string => {
    const line = String(at + 1);
    const xml = cells
      .map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${line}`))
      .join('');
    return xml === '' ? '' : `<row r="${line}" spans="1:5">${xml}</row>`;
  };
  const names = Object.keys(sheets);
  const ids = names.map((_, at) => String(at + 1));
  const sheetParts = Object.fromEntries(
    Object.values(sheets).map((rows, at) => [
      `xl/worksheets/sheet${String(at + 1)}.xml`,
      `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${MAIN}"><sheetData>${rows.map(row).join('')}</sheetData></worksheet>`,
    ]),
  );
  return {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><workbookPr date1904="${date1904}"/><sheets>${ids
      .map((id, at) => `<sheet name="${names[at] ?? ''}" sheetId="${id}" r:id="rId${id}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${ids
      .map(
        (id) => `<Relationship Id="rId${id}" Type="${TYPES}/worksheet" Target="worksheets/sheet${id}.xml"/>`,
      )
      .join('')}<Relationship Id="s" Type="${TYPES}/styles" Target="/xl/styles.xml"/>
      <Relationship Id="t" Type="${TYPES}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts>${formats
      .map((code, at) => `<numFmt numFmtId="${String(164 + at)}" formatCode="${escaped(code)}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, at) => `<xf numFmtId="${String(164 + at)}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    ...sheetParts,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
  };
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
