import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';

import { openToAppend, openToRead, readRegularFile } from '../../src/support/regular-file';
import { readCsv } from '../../src/store/csv/read-csv';
import { useFolderPerTest } from '../harness/use-folder';
import { makeNamedPipe, openThenReplace } from '../harness/named-pipe';

const folder = useFolderPerTest();
const at = (name: string): string => join(folder(), name);

/** Lists what may have the name of a file in a folder that others can write to. */
const OTHERS: readonly (readonly [what: string, make: () => unknown, code: string])[] = [
  ['a link to a file', () => symlinkSync(at('foreign'), at('file')), 'is a link'],
  ['a link to nothing', () => symlinkSync(at('nothing'), at('file')), 'is a link'],
  ['a pipe', () => makeNamedPipe(at('file')), 'is not a regular file'],
  ['a socket', () => once(createServer().listen(at('file')).unref(), 'listening'), 'is not a regular file'],
  ['a folder', () => mkdirSync(at('file')), 'is not a regular file'],
];

describe('opening a regular file', () => {
  beforeEach(() => {
    writeFileSync(at('foreign'), 'foreign');
  });

  it.each(OTHERS)('refuses %s, and does not wait', async (_what, make, code) => {
    await make();
    await expect(openToRead(at('file'))).rejects.toMatchObject({ name: 'IrregularFileError', code });
  });

  it.each(OTHERS)('for appending refuses %s, and leaves everything as it is', async (what, make, code) => {
    await make();
    await expect(openToAppend(at('file'))).rejects.toMatchObject({
      code: what === 'a folder' ? 'EISDIR' : code,
    });
    expect(readFileSync(at('foreign'), 'utf8')).toBe('foreign');
    expect(() => statSync(at('nothing'))).toThrow('ENOENT');
  });

  it('for appending keeps what is in the file, and creates a missing one for its owner', async () => {
    for (const text of ['one', 'two']) {
      const file = await openToAppend(at('file'));
      await file.appendFile(text);
      await file.close();
    }
    expect(readFileSync(at('file'), 'utf8')).toBe('onetwo');
    expect(statSync(at('file')).mode & 0o777).toBe(0o600);
  });

  it('reads a secret through a link, but waits for no pipe', () => {
    symlinkSync(at('foreign'), at('link'));
    expect(readRegularFile(at('link')).toString()).toBe('foreign');
    makeNamedPipe(at('pipe'));
    symlinkSync(at('pipe'), at('linked pipe'));
    expect(() => readRegularFile(at('linked pipe'))).toThrow('The file is not a regular file.');
  });

  it('reads the file that it opened, whatever takes its name', async () => {
    writeFileSync(at('file'), 'base_url,name\nhttp://a.example,A\n');
    const opened = await openThenReplace(at('file'));
    const cells: unknown[] = [];
    for await (const record of readCsv(opened)) cells.push(record.cells);
    await opened.handle.close();
    expect(cells).toEqual([
      ['base_url', 'name'],
      ['http://a.example', 'A'],
    ]);
  });
});
