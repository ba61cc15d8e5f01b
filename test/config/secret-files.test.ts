import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readSettings, SECRET_FILE_SETTINGS, type Setting, SETTINGS } from '../../src/config';
import { useFolder } from '../harness/use-folder';

const folder = useFolder();

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function read(environment: Readonly<Record<string, string>>, file = '') {
  return readSettings(environment, write('.env', file));
}

describe('a secret in a file', () => {
  it('can hold every secret setting and nothing else', () => {
    const secrets = Object.entries<Setting>(SETTINGS).filter(([, { secret }]) => secret === true);
    expect(SECRET_FILE_SETTINGS).toEqual(secrets.map(([name]) => `${name}_FILE`));
    expect(SECRET_FILE_SETTINGS).toContain('DATABASE_URL_FILE');
    // None of them is a setting of its own.
    expect(SECRET_FILE_SETTINGS.filter((name) => name in SETTINGS)).toEqual([]);
  });

  it.each([
    ['without a line ending', 'sqlite:p#w "1" '],
    ['with a line ending', 'sqlite:p#w "1" \n'],
    ['with a Windows line ending', 'sqlite:p#w "1" \r\n'],
    ['with several line endings', 'sqlite:p#w "1" \n\n'],
    ['with a byte order mark', '\ufeffsqlite:p#w "1" '],
  ])('is read unchanged, %s', (_what, content) => {
    const path = write('token', content);
    expect(read({ DATABASE_URL_FILE: path }).config.DATABASE_URL).toBe('sqlite:p#w "1" ');
  });

  it('can be named in .env, with the value of an earlier setting in its path', () => {
    write('token', 'sqlite:one');
    const { config, effective } = read({}, `DATA_DIR=${folder}\nDATABASE_URL_FILE={DATA_DIR}/token\n`);
    expect(config.DATABASE_URL).toBe('sqlite:one');
    expect(effective.find(({ name }) => name === 'DATABASE_URL')).toEqual({
      name: 'DATABASE_URL',
      shown: 'sqlite:one',
      origin: `${folder}/token (DATABASE_URL_FILE)`,
    });
  });

  it('is shown in the same way as a directly set value', () => {
    const { effective } = read({ DATABASE_URL_FILE: write('url', 'postgres://u:hunter2@db/school\n') });
    expect(effective.find(({ name }) => name === 'DATABASE_URL')?.shown).toBe('postgres://***@db/school');
  });

  it('is not set if no file is named', () => {
    expect(read({ DATABASE_URL_FILE: '', DATABASE_URL: 'sqlite:a' }).config.DATABASE_URL).toBe('sqlite:a');
    const path = write('token', 'sqlite:b');
    expect(read({ DATABASE_URL: '', DATABASE_URL_FILE: path }).config.DATABASE_URL).toBe('sqlite:b');
  });

  it.each<readonly [string, () => Readonly<Record<string, string>>, RegExp]>([
    [
      'also set directly',
      () => ({ DATABASE_URL: 'sqlite:a', DATABASE_URL_FILE: write('token', 'hunter2') }),
      /^DATABASE_URL and DATABASE_URL_FILE are both set\. Remove one of them\.$/,
    ],
    [
      'in a missing file',
      () => ({ DATABASE_URL_FILE: join(folder, 'none') }),
      /^DATABASE_URL_FILE: \S+none cannot be read \(ENOENT\)\. Expected a file /,
    ],
    ['in a folder', () => ({ DATABASE_URL_FILE: folder }), /^DATABASE_URL_FILE: \S+ is not a file\. /],
    [
      'in an empty file',
      () => ({ DATABASE_URL_FILE: write('empty', '\n') }),
      /^DATABASE_URL_FILE: \S+empty is empty\. Write the value into it/,
    ],
    [
      'in a file that is not UTF-8',
      () => ({ DATABASE_URL_FILE: write('latin', Buffer.from([0x68, 0xfc])) }),
      /^DATABASE_URL_FILE: \S+latin is not UTF-8\. Save it as UTF-8\.$/,
    ],
    [
      'with an invalid value',
      () => ({ DATABASE_URL_FILE: write('url', 'pg://user:hunter2@db') }),
      /^DATABASE_URL: the content of \S+url \(DATABASE_URL_FILE\) \(not shown\) is not valid\. Expected: /,
    ],
  ])('%s is reported in one line that reveals nothing of it', (_what, environment, message) => {
    const settings = read(environment());
    expect(settings.findings).toEqual([
      { level: 'fatal', message: expect.stringMatching(message) as string },
    ]);
    expect(settings.findings[0]?.message).not.toMatch(/hunter2|\n/);
  });

  it('set twice in .env is reported with both lines', () => {
    const { config } = { config: () => read({}, 'DATABASE_URL=sqlite:a\nDATABASE_URL_FILE=/b\n').config };
    expect(config).toThrow(/\.env, DATABASE_URL: line 1, DATABASE_URL_FILE: line 2\]$/);
  });

  it('is suggested for a mistyped name', () => {
    expect(read({}, 'DATABASE_URL_FIEL=/b\n').findings).toEqual([
      {
        level: 'warn',
        message: expect.stringContaining('Did you mean DATABASE_URL_FILE?') as string,
      },
    ]);
  });

  it('is a file whose mode is checked', () => {
    const path = write('token', 'a');
    chmodSync(path, 0o644);
    const others = { DATA_DIR: '/data', TLS_KEY_FILE: '/key', GATEWAYS_FILE: '{DATA_DIR}/gateways.json' };
    expect(read({ DATABASE_URL_FILE: path, ...others }).secretFiles.toSorted()).toEqual(
      ['/data/gateways.json', '/key', path].toSorted(),
    );
  });
});
