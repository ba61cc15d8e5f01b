import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { smsFileTransport } from '../../src/delivery/transports/transports';
import { exposedFiles, makePrivateFile, makePrivateFolder } from '../../src/support/private-files';
import { openStore } from '../../src/store';
import { useFolderPerTest } from '../harness/use-folder';

const folder = useFolderPerTest();
const modeOf = (...path: readonly string[]): string =>
  (statSync(join(folder(), ...path)).mode & 0o7777).toString(8);

describe.each(['022', '000'])('with a umask of %s', (umask) => {
  let before = 0;
  beforeEach(() => {
    before = process.umask(umask);
  });
  afterEach(() => {
    process.umask(before);
  });

  it('folders are created for their owner only, as are those above them', () => {
    makePrivateFolder(join(folder(), 'a', 'b'));
    expect([modeOf('a'), modeOf('a', 'b')]).toEqual(['700', '700']);
  });

  it('existing files and folders keep their mode and contents', () => {
    mkdirSync(join(folder(), 'a'), 0o750);
    writeFileSync(join(folder(), 'file'), 'x', { mode: 0o640 });
    makePrivateFolder(join(folder(), 'a'));
    makePrivateFile(join(folder(), 'file'));
    expect([modeOf('a'), modeOf('file')]).toEqual(['750', '640']);
    expect(statSync(join(folder(), 'file')).size).toBe(1);
  });

  it('a SQLite database, its companion files and an export are for their owner only', async () => {
    const store = await openStore({ url: `sqlite:${join(folder(), 'data', 'service.db')}` });
    try {
      await store.noLongerNew();
      const written = ['service.db', 'service.db-shm', 'service.db-wal'];
      expect(readdirSync(join(folder(), 'data')).toSorted()).toEqual(written);
      expect(written.map((name) => modeOf('data', name))).toEqual(['600', '600', '600']);
      expect(modeOf('data')).toBe('700');

      await store.exportFolder(join(folder(), 'out'));
      const exported = readdirSync(join(folder(), 'out'));
      expect(exported).toContain('students.csv');
      expect(new Set(exported.map((name) => modeOf('out', name)))).toEqual(new Set(['600']));
      expect(modeOf('out')).toBe('700');
    } finally {
      await store.close();
    }
  });

  it('an export replaces files that others can read, and leftovers of a killed export', async () => {
    writeFileSync(join(folder(), 'students.csv'), 'old', { mode: 0o644 });
    writeFileSync(join(folder(), 'notes.csv.partial'), 'old', { mode: 0o644 });
    const store = await openStore({ url: 'sqlite::memory:' });
    try {
      await store.exportFolder(folder());
      expect([modeOf('students.csv'), modeOf('notes.csv')]).toEqual(['600', '600']);
    } finally {
      await store.close();
    }
  });

  it('the file of unsent messages is for its owner only', async () => {
    const sms = { id: 'm-1', phone: '+905551112233', text: 'x', lifeMs: 1 };
    await smsFileTransport(join(folder(), 'outbox', 'sms.jsonl')).send(sms, new AbortController().signal);
    expect([modeOf('outbox'), modeOf('outbox', 'sms.jsonl')]).toEqual(['700', '600']);
  });
});

describe('loose permissions', () => {
  it.each(['604', '640', '602', '610'])('are found on a file of mode %s', (mode) => {
    const path = join(folder(), 'file');
    writeFileSync(path, '');
    chmodSync(path, Number.parseInt(mode, 8));
    expect(exposedFiles([path])).toEqual([
      {
        path,
        mode,
        message: `${path} contains personal data and is accessible to users other than its owner (mode ${mode}). Run: chmod 600 ${path}`,
      },
    ]);
  });

  it('are found on a folder of mode 755, with a correctly quoted command to fix them', () => {
    const path = join(folder(), "it's data");
    mkdirSync(path);
    chmodSync(path, 0o755);
    const [found] = exposedFiles([path]);
    expect(found?.mode).toBe('755');
    expect(found?.message).toMatch(/: chmod 700 '\/.*\/it'\\''s data'$/);
  });

  it('are not found for modes 600 and 700, missing files, and deliberately shared folders', () => {
    writeFileSync(join(folder(), 'file'), '', { mode: 0o600 });
    mkdirSync(join(folder(), 'shared'));
    chmodSync(join(folder(), 'shared'), 0o1777);
    const paths = ['file', 'shared', 'nowhere', 'file/below'].map((name) => join(folder(), name));
    expect(exposedFiles([folder(), ...paths])).toEqual([]);
  });

  it('are not found on Windows, which has other permissions', () => {
    writeFileSync(join(folder(), 'file'), '');
    chmodSync(join(folder(), 'file'), 0o666);
    expect(exposedFiles([join(folder(), 'file')], { platform: 'linux' })).toHaveLength(1);
    expect(exposedFiles([join(folder(), 'file')], { platform: 'win32' })).toEqual([]);
  });
});
