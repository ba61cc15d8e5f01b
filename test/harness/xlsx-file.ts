import { crc32, deflateRawSync } from 'node:zlib';

/** The parts of a workbook, by name. */
export type XlsxParts = Readonly<Record<string, string | Buffer>>;

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A ZIP archive with these files, as APPNOTE.TXT describes it. `sizes` are claimed instead of the real ones. */
export function zipOf(parts: XlsxParts, sizes: Readonly<Record<string, number>> = {}): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0); // version
    head.writeUInt16LE(8, 4); // deflate
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(sizes[name] ?? bytes.length, 18);
    head.writeUInt16LE(path.length, 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, path, packed]);
    files.push(file);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), head, entry, path]));
    offset += file.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, central, Buffer.from('PK\u0005\u0006'), end]);
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
