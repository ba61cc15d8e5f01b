import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CSV_FILES } from '../../../src/store/csv/csv-files';
import { type CsvRecord, CsvSyntaxError, readCsv } from '../../../src/store/csv/read-csv';
import { RowReader } from '../../../src/store/csv/stage-file';
import { openToRead } from '../../../src/support/regular-file';
import { fuzzByCoverage, type FuzzTarget } from '../../harness/coverage-guided';
import { fuzzRun } from '../../harness/fuzz-run';
import { useFolder } from '../../harness/use-folder';

const RUN = fuzzRun(150);

interface Line {
  readonly line: number;
  readonly cells: CsvRecord['cells'];
}

const folder = useFolder();

/** The records of a file, or the line on which it is no CSV. */
async function recordsOf(bytes: Uint8Array): Promise<readonly Line[] | number> {
  const path = join(folder, 'file.csv');
  writeFileSync(path, bytes);
  const records: Line[] = [];
  const file = await openToRead(path);
  try {
    for await (const { line, cells } of readCsv(file)) records.push({ line, cells });
  } catch (error) {
    if (error instanceof CsvSyntaxError) return error.line;
    throw error;
  } finally {
    await file.handle.close();
  }
  return records;
}

/** Returns what stands first outside quotes, in the first row that holds anything; a comma where nothing does. */
function expectedDelimiter(text: string): string {
  let quoted = false;
  let row = '';
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && [',', ';', '\t'].includes(character)) return character;
    const ends = !quoted && (character === '\n' || character === '\r');
    if (ends && row !== '' && row !== '""') return ',';
    row = ends ? '' : row + character;
  }
  return ',';
}

/** RFC 4180 as one pattern for a cell: quoted, or without a quotation mark; undefined where a text does not fit. */
function expectedOf(text: string): readonly Line[] | undefined {
  const delimiter = expectedDelimiter(text.replace(/^\ufeff/, ''));
  const plainCell = `[^"${delimiter}\\r\\n]*`;
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|(${plainCell}))(${delimiter}|\\r\\n|\\n|\\r|$)`, 'y');
  const records: Line[] = [];
  let cells: string[] = [];
  let line = 1;
  let start = 1;
  cell.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  while (cell.lastIndex < text.length || cells.length > 0) {
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (whole === undefined) return undefined;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === delimiter) continue;
    if (cells.some((each) => each.trim() !== '')) records.push({ line: start, cells });
    cells = [];
    start = line;
  }
  return records;
}

describe('the CSV reader', () => {
  it.each([
    [
      'cells and lines',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a last line without an end', 'a,b\r\nc', [['a', 'b'], ['c']]],
    ['quotes, commas and line ends in quotes', '"a""b","c,d","e\nf"', [['a"b', 'c,d', 'e\nf']]],
    [
      'empty cells',
      ',a\n"",b\n',
      [
        ['', 'a'],
        ['', 'b'],
      ],
    ],
    ['blank lines, left out', '\n\na\n\n', [['a']]],
    ['rows with nothing in them, left out', ';;\na;b;c\n;;\n" ";\u00a0;\n;', [['a', 'b', 'c']]],
    ['a byte order mark', '\ufeffa,b', [['a', 'b']]],
    [
      'semicolons, with commas in the cells',
      'a;b\nc,d;"e;f"\n',
      [
        ['a', 'b'],
        ['c,d', 'e;f'],
      ],
    ],
    [
      'tabs behind a byte order mark, a blank line and quotes around other delimiters',
      '\ufeff\n"a,;"\tb\nc\td',
      [
        ['a,;', 'b'],
        ['c', 'd'],
      ],
    ],
    ['commas where the header has one cell', 'a\nb,c;d', [['a'], ['b', 'c;d']]],
    ['nothing', '', []],
  ])('reads %s', async (_what, text, cells) => {
    const records = await recordsOf(Buffer.from(text));
    expect(records).toMatchObject(cells.map((expected) => ({ cells: expected })));
    expect(records).toEqual(expectedOf(text));
  });

  it('gives the line of a record, whatever ends the lines before it or is within quotes', async () => {
    expect(await recordsOf(Buffer.from('a\rb\n"c\r\nd"\r\ne\n\n"f\rf\nf"\ng'))).toEqual([
      { line: 1, cells: ['a'] },
      { line: 2, cells: ['b'] },
      { line: 3, cells: ['c\r\nd'] },
      { line: 5, cells: ['e'] },
      { line: 7, cells: ['f\rf\nf'] },
      { line: 10, cells: ['g'] },
    ]);
  });

  it.each([
    ['sep=;\na,b;c\n', [{ line: 2, cells: ['a,b', 'c'] }]],
    ['\ufeffSEP=,\r\n\r\na,b;c\n', [{ line: 3, cells: ['a', 'b;c'] }]],
    ['sep=\t\na,b\tc\n', [{ line: 2, cells: ['a,b', 'c'] }]],
    [
      'a;b\nsep=;\n',
      [
        { line: 1, cells: ['a', 'b'] },
        { line: 2, cells: ['sep=', ''] },
      ],
    ],
  ])('uses the delimiter in the first line: %j', async (text, records) => {
    expect(await recordsOf(Buffer.from(text))).toEqual(records);
  });

  const target: FuzzTarget = {
    source: 'src/store/csv/',
    seeds: ['base_url,name\nhttp://a,"A ""x"""\n', 'a,"b\n\r\nc\rd"\re', '"a;"";"\t"b"\n;'],
    tokens: [
      '"',
      '""',
      ',',
      ';',
      '\t',
      '\n',
      '\r',
      '\r\n',
      '\ufeff',
      '\ud800',
      'é',
      '😀',
      ' ',
      'a',
      '\0',
      '","',
      '"\n"',
    ],
    check: async (text) => {
      // Bytes that are no UTF-8, where the text is none: half a pair becomes a lone 0xFF.
      const bytes = text.isWellFormed()
        ? Buffer.from(text)
        : Buffer.from(text.replace(/[^\0-\u00ff]/g, '\u00ff'), 'latin1');
      // csv-parse takes a zero behind a closing quote for the end of the text; the row is refused for it all the same.
      if (bytes.includes('"\0')) return;
      const records = await recordsOf(bytes);
      const expected = isUtf8(bytes) ? expectedOf(bytes.toString()) : undefined;
      expect(typeof records === 'number' ? undefined : records).toEqual(expected);
      if (typeof records === 'number') return;
      for (const file of CSV_FILES) {
        const [header, ...rows] = records.map((record) => ({
          ...record,
          note: '',
          bytesRead: 0,
        }));
        if (header === undefined) return;
        const reader = new RowReader(file, header);
        if (!reader.canRead) continue;
        for (const row of rows) {
          const { values, problems } = reader.read(row);
          if (values === undefined) expect(problems).toHaveLength(1);
          else expect(values).toHaveLength(file.columns.length);
        }
      }
    },
  };

  it(
    `reads what RFC 4180 allows, and refuses the rest: ${RUN.title}`,
    async () => {
      expect((await fuzzByCoverage(target, RUN)).length).toBeGreaterThan(target.seeds.length);
    },
    RUN.timeout,
  );
});
