import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { CSV_FILES } from '../../src/store/csv/csv-files';
import { readRepositoryFile } from '../harness/repository-files';

const FOLDER = 'packaging/import';
const DOCUMENT = readRepositoryFile('docs/import-from-sql-server.md');
const queryName = (file: string): string => file.replace('.csv', '.sql');

describe.each(
  CSV_FILES.map(({ file, columns }) => [queryName(file), columns.map(({ header }) => header)] as const),
)('the query %s', (name, headers) => {
  const query = readRepositoryFile(`${FOLDER}/${name}`);
  const [, selected = '', , others = ''] =
    /^SELECT (.+)\nFROM \(\n(.+)\n {2}UNION ALL\n(.+)\n\) AS csv\nORDER BY part;\n$/ms.exec(query) ?? [];

  it('returns the columns of its file, in the order of its header row', () => {
    expect(selected.split(', ')).toEqual(headers);
    const row = [...query.matchAll(/N'(\w+)' AS (\w+)/g)].map(([, text, alias]) => [text, alias]);
    expect(row).toEqual(headers.map((header) => [header, header]));
  });

  it('selects as many values for each row', () => {
    const values = others.slice(0, others.indexOf('\n  FROM ')).replace(/'[^']*'|\([^()]*\)/g, '');
    const flat = values.replace(/\([^()]*\)/g, '').replace(/\([^()]*\)/g, '');
    expect(flat.split(',')).toHaveLength(headers.length + 1);
  });

  it('is named in the document', () => {
    expect(DOCUMENT).toContain(`\`${name}\``);
  });
});

it('there is a query for each file, and a command that runs them', () => {
  const expected = ['export.cmd', ...CSV_FILES.map(({ file }) => queryName(file))];
  expect(readdirSync(join(PACKAGE_ROOT, FOLDER)).sort()).toEqual(expected.sort());
});
