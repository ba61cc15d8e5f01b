import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Setting, SETTINGS } from '../../src/config';

const read = (file: string): string => readFileSync(join(__dirname, '..', '..', file), 'utf8');
const settings = Object.entries<Setting>(SETTINGS);

describe('the settings as documented', () => {
  it('are the rows of the table in README.md, in the same words', () => {
    const rows = read('README.md').match(/^\| `[A-Z_]+` +\|.*$/gm) ?? [];
    const expected = settings.map(([name, { default: usual, kind, description }]) => {
      return `| \`${name}\` | ${usual === '' ? 'empty' : `\`${usual}\``} | ${kind.allowed} | ${description} |`;
    });
    // The formatter pads the columns.
    expect(rows.map((row) => row.replace(/ +/g, ' '))).toEqual(expected);
  });

  it('are the lines of .env.example, in the same words', () => {
    const lines = read('.env.example').match(/^# .*\n#[A-Z_]+=.*$/gm);
    const expected = settings.map(([name, { default: usual, kind, description }]) => {
      return `# ${description} Allowed: ${kind.allowed}.`.replaceAll('`', '') + `\n#${name}=${usual}`;
    });
    expect(lines).toEqual(expected);
  });
});
