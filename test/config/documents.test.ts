import { SECRET_FILE_SETTINGS, type Setting, SETTINGS } from '../../src/config';
import { optionalFile } from '../../src/config/kinds';
import { readRepositoryFile, repositoryFiles } from '../docs/repository-files';

/** Variables that tests read, and Node.js. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'BACKUP_COUNT',
  'CERTIFICATE_KEY',
  'COMPARE_NEW_HEADERS',
  'COMPARE_OLD_HEADERS',
  'DOOR_REQUESTS',
  'FUZZ_COUNT',
  'SETTINGS_FILE',
  'FUZZ_SEED',
  'INVALID_ARGUMENT',
  'MOVE_ALL',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'NODE_EXTRA_CA_CERTS',
  'POSTGRES_ROOT',
  'SENDER_ID_MISMATCH',
  'THIRD_PARTY_AUTH_ERROR',
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

  it('say in docs/settings.md which of them are secrets, and so can lie in files', () => {
    const [, list = ''] = /These are\s+([^.]*)\./.exec(readRepositoryFile('docs/settings.md')) ?? [];
    expect([...list.matchAll(/[A-Z_]+/g)].map(([name]) => `${name}_FILE`)).toEqual(SECRET_FILE_SETTINGS);
  });

  it('say of the files that are read again that they are, and in docs/operating.md what else counts anew', () => {
    const all = settings.filter(([, { reloads }]) => reloads === true).map(([name]) => name);
    const files = settings.filter(([, { kind }]) => kind === optionalFile);
    const said = files.filter(([, { description }]) => description.endsWith(' SIGHUP has it read again.'));
    expect(said.map(([name]) => name)).toEqual(
      files.filter(([name]) => all.includes(name)).map(([name]) => name),
    );
    const text = readRepositoryFile('docs/operating.md');
    const [table = ''] = /^\| What is read again .*?\n\n/ms.exec(text) ?? [];
    const [row = ''] = /\| `SMS_HTTP_URL`.*? \| /.exec(table) ?? [];
    const named = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) =>
      name.startsWith('_') && row.includes(name) ? `SMS_HTTP${name}` : name,
    );
    const others = ['PROCESSES', 'DATABASE_URL'];
    expect(named.filter((name) => !others.includes(name)).toSorted()).toEqual(all.toSorted());
  });

  it.each(repositoryFiles('.md'))('have the names that %s calls them by', (path) => {
    const named = readRepositoryFile(path).match(/(?<=[`\n ])[A-Z]+_[A-Z_]+(?=[`=])/g) ?? [];
    expect(
      named.filter(
        (name) => !(name in SETTINGS) && !SECRET_FILE_SETTINGS.includes(name) && !OF_OTHERS.has(name),
      ),
    ).toEqual([]);
  });
});
