import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import {
  cannotWrite,
  createFile,
  replaceFile,
  replaceFileSync,
  tryToWriteIn,
  writeAdvice,
} from '../../src/support/replace-file';
import { useFolderPerTest } from '../harness/use-folder';
import { makeNamedPipe } from '../harness/named-pipe';

const folder = useFolderPerTest();
const at = (name: string): string => join(folder(), name);

describe.each([
  ['at once', (path: string, text: string) => Promise.resolve().then(() => replaceFileSync(path, text))],
  ['in pieces', (path: string, text: string) => replaceFile(path, pieces(text))],
])('replacing a file %s', (_how, replace) => {
  beforeEach(() => {
    writeFileSync(at('foreign'), 'foreign');
  });

  it('writes a new file for its owner, whatever the old one allowed', async () => {
    writeFileSync(at('file'), 'old', { mode: 0o644 });
    const { ino } = statSync(at('file'));
    await replace(at('file'), 'new');
    expect(readFileSync(at('file'), 'utf8')).toBe('new');
    expect(statSync(at('file')).mode & 0o777).toBe(0o600);
    expect(statSync(at('file')).ino).not.toBe(ino);
    expect(readdirSync(folder())).toEqual(['file', 'foreign']);
  });

  it.each([
    ['a link to a file', () => symlinkSync(at('foreign'), at('file')), 'is a link'],
    ['a link to nothing', () => symlinkSync(at('nothing'), at('file')), 'is a link'],
    ['a pipe', () => makeNamedPipe(at('file')), 'is not a regular file'],
    ['a folder', () => mkdirSync(at('file')), 'is not a regular file'],
  ] satisfies readonly (readonly [string, () => unknown, string])[])(
    'refuses %s, and writes nothing anywhere',
    async (_what, make, code) => {
      make();
      await expect(replace(at('file'), 'new')).rejects.toMatchObject({ name: 'IrregularFileError', code });
      expect(readFileSync(at('foreign'), 'utf8')).toBe('foreign');
      expect(readdirSync(folder())).toEqual(['file', 'foreign']);
    },
  );

  it('deletes what a killed command left an hour ago', async () => {
    const [left, fresh] = ['file.0123456789ab.partial', 'file.ba9876543210.partial'];
    for (const name of [left, fresh]) writeFileSync(at(name), 'x');
    utimesSync(at(left), 1, 1);
    await replace(at('file'), 'new');
    expect(readdirSync(folder())).toEqual(['file', fresh, 'foreign']);
  });
});

async function* pieces(text: string): AsyncGenerator<string> {
  for (const piece of text) yield await Promise.resolve(piece);
}

it('leaves nothing of a file whose content fails', async () => {
  const failing = async function* (): AsyncGenerator<string> {
    yield await Promise.resolve('a');
    throw new Error('no more');
  };
  await expect(replaceFile(at('file'), failing())).rejects.toThrow('no more');
  expect(readdirSync(folder())).toEqual([]);
});

describe('a new file', () => {
  it('is not created through a link that waits under its name', () => {
    symlinkSync(at('nothing'), at('file'));
    expect(() => createFile(at('file'))).toThrow('EEXIST');
    expect(readdirSync(folder())).toEqual(['file']);
  });
});

describe('trying to write', () => {
  it('leaves nothing in the folder', () => {
    tryToWriteIn(folder());
    expect(readdirSync(folder())).toEqual([]);
  });

  it('fails where nothing can be written', () => {
    expect(() => {
      tryToWriteIn('/proc/self');
    }).toThrow(/ENOENT|EACCES/);
  });

  it.each([
    [
      'EROFS',
      ' The service’s user must own the folder, and under systemd ReadWritePaths= of the unit must name it.',
    ],
    [
      'EACCES',
      ' The service’s user must own the folder, and under systemd ReadWritePaths= of the unit must name it.',
    ],
    ['ENOSPC', ''],
  ])('names the unit’s ReadWritePaths for %s if they may be missing', (code, advice) => {
    expect(cannotWrite('to the folder /srv', Object.assign(new Error(code), { code }))).toBe(
      `Cannot write to the folder /srv (${code}).${advice}`,
    );
  });

  it.each([
    ['EBUSY', ' Another program has the file open. Close it there, for example in Excel.'],
    [
      'EPERM',
      ' Close the file in other programs, such as Excel, and let the service’s account modify the folder.',
    ],
    ['ENOSPC', ''],
  ])('names other programs for %s on Windows', (code, advice) => {
    expect(writeAdvice(code, { platform: 'win32' })).toBe(advice);
  });
});
