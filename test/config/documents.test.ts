import { type Setting, SETTINGS } from '../../src/config';
import { readRepositoryFile, repositoryFiles } from '../documents/repository-files';

/** Variables that tests read, and Node.js. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'COMPARE_NEW_HEADERS',
  'COMPARE_OLD_HEADERS',
  'DOOR_REQUESTS',
  'FUZZ_COUNT',
  'FUZZ_SEED',
  'NODE_EXTRA_CA_CERTS',
  'TEST_DATABASE_URL',
]);

const settings = Object.entries<Setting>(SETTINGS);

describe('the settings as documented', () => {
  it('are the rows of the tables in docs/settings.md, in the same words', () => {
    const rows = readRepositoryFile('docs/settings.md').match(/^\| `[A-Z_]+` +\|.*$/gm) ?? [];
    const expected = settings.map(([name, { default: usual, kind, description }]) => {
      return `| \`${name}\` | ${usual === '' ? 'empty' : `\`${usual}\``} | ${kind.allowed} | ${description} |`;
    });
    // The formatter pads the columns.
    expect(rows.map((row) => row.replace(/ +/g, ' '))).toEqual(expected);
  });

  it('are the lines of .env.example, in the same words', () => {
    const lines = readRepositoryFile('.env.example').match(/^# .*\n#[A-Z_]+=.*$/gm);
    const expected = settings.map(([name, { default: usual, kind, description }]) => {
      return `# ${description} Allowed: ${kind.allowed}.`.replaceAll('`', '') + `\n#${name}=${usual}`;
    });
    expect(lines).toEqual(expected);
  });

  it('are in README.md those that most installations set, in the same words', () => {
    const rows = readRepositoryFile('README.md').match(/^\| `[A-Z_]+` +\|.*$/gm) ?? [];
    const expected = settings.map(([name, { default: usual, description }]) => {
      return `| \`${name}\` | ${usual === '' ? 'empty' : `\`${usual}\``} | ${description} |`;
    });
    expect(rows.length).toBeGreaterThan(8);
    expect(expected).toEqual(expect.arrayContaining(rows.map((row) => row.replace(/ +/g, ' '))));
  });

  it.each(repositoryFiles('.md'))('have the names that %s calls them by', (path) => {
    const named = readRepositoryFile(path).match(/(?<=[`\n ])[A-Z]+_[A-Z_]+(?=[`=])/g) ?? [];
    expect(named.filter((name) => !(name in SETTINGS) && !OF_OTHERS.has(name))).toEqual([]);
  });
});
