import fs, { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { backUpDatabase } from '../../../src/features/backups/back-up';
import { openStore } from '../../../src/store';
import { restoreDatabase } from '../../../src/features/backups/restore';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useDatabase } from '../../harness/test-databases';
import { databaseFiles } from './database-files';

describe('a restore', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  const at = (name: string): string => join(database.folder, name);
  const options = (replace: boolean) => ({ file: at('kept.db'), replace, onPages: () => undefined });
  const restore = async (replace = true, url = database.url) => {
    await letGoOfClosed(database.folder);
    return restoreDatabase(url, options(replace));
  };
  const files = () => databaseFiles(database.folder);
  const setAside = () => readdirSync(database.folder).filter((name) => name.includes('.before-'));
  const tokenIn = async (url: string): Promise<string> => {
    const store = await openStore({ url, mustExist: true });
    try {
      return await store.devices.tokenOf('DEV-1');
    } finally {
      await store.close();
    }
  };
  beforeEach(async () => {
    await backUpDatabase(database.url, options(false));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is refused if the backup is replaced while it is copied, and changes nothing', async () => {
    const file = at('kept.db');
    const onPages = (): void => {
      renameSync(file, at('old.db'));
      copyFileSync(at('old.db'), file);
    };
    await letGoOfClosed(database.folder);
    const before = files();
    await expect(restoreDatabase(database.url, { ...options(true), onPages })).rejects.toThrow(
      `${file} was replaced meanwhile. Check who can write to the folder ${database.folder}.`,
    );
    expect(files()).toEqual([...before, 'old.db'].sort());
  });

  it('makes a missing database, and takes no log beside it for its own', async () => {
    mkdirSync(at('new'));
    for (const ending of ['-wal', '-shm', '-journal']) writeFileSync(at(`new/service.db${ending}`), 'x');
    const url = `sqlite:${at('new/service.db')}`;
    const { tables, upgradedFrom, queued, setAside: old } = await restore(false, url);
    expect([upgradedFrom, queued, old]).toEqual([undefined, 0, undefined]);
    expect(tables).toContainEqual({ table: 'students', rows: 37 });
    expect(readdirSync(at('new'))).toEqual(['service.db']);
    expect(await tokenIn(url)).toBe('sample-token-01');
  });

  it('does not replace a database that appears while it copies', async () => {
    const url = `sqlite:${at('new.db')}`;
    const appear = (): void => {
      writeFileSync(at('new.db'), 'mine');
    };
    await expect(restoreDatabase(url, { ...options(true), onPages: appear })).rejects.toThrow(
      `${at('new.db')} already exists.`,
    );
  });

  it('replaces an empty database without being asked, and keeps no copy of it', async () => {
    await (await openStore({ url: `sqlite:${at('empty.db')}` })).close();
    const { setAside: old } = await restore(false, `sqlite:${at('empty.db')}`);
    expect([old, setAside()]).toEqual([undefined, []]);
    expect(await tokenIn(`sqlite:${at('empty.db')}`)).toBe('sample-token-01');
  });

  it.each(['with', 'without'])('keeps the previous database on file systems %s hard links', async (links) => {
    if (links === 'without') {
      jest.spyOn(fs, 'linkSync').mockImplementation(() => {
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      });
    }
    const { setAside: old = '' } = await restore();
    expect(setAside()).toEqual([old.slice(database.folder.length + 1)]);
    expect(await tokenIn(`sqlite:${old}`)).toBe('sample-token-01');
    expect(await tokenIn(database.url)).toBe('sample-token-01');
  });

  it('keeps an earlier previous database', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-27T05:00:00Z'));
    const old = at('service.db.before-20261127T050000Z');
    writeFileSync(old, 'mine');
    await expect(restore()).rejects.toMatchObject({
      trouble: 'unavailable',
      message: `${old} already exists. Try again. Database: ${at('service.db')}`,
    });
    expect(fs.readFileSync(old, 'utf8')).toBe('mine');
  });

  it('counts the messages that wait or are being sent, and no others', async () => {
    const connection = new DatabaseSync(at('kept.db'));
    for (const state of ['queued', 'sending', 'sent', 'failed'])
      connection.exec(`insert into messages
        (id, channel, state, recipient, school, payload, attempts, next_attempt_at, expires_at, created_at, updated_at)
        values ('${state}', 'push', '${state}', 'DEV-1', '', '{}', 0, 1, 1, 1, 1)`);
    connection.close();
    expect((await restore()).queued).toBe(2);
  });

  it('names the cause when the backup is damaged', async () => {
    writeFileSync(at('kept.db'), 'These are not the bytes of a database. '.repeat(100));
    await expect(restore()).rejects.toMatchObject({ name: 'KeepingError', cause: { trouble: 'corrupt' } });
    expect(setAside()).toEqual([]);
  });

  it.each([
    ['is given to the owner of its folder if the administrator restores it', 0, 1],
    ['stays its user’s if another user restores it', 1000, 0],
  ])('%s', async (_, uid, times) => {
    jest.spyOn(process, 'getuid').mockReturnValue(uid);
    const chown = jest.spyOn(fs, 'lchownSync').mockImplementation(() => undefined);
    await restore();
    const folder = fs.statSync(database.folder);
    const given = [expect.stringMatching(/service\.db\.\w+\.partial$/), folder.uid, folder.gid];
    expect(chown.mock.calls).toEqual(Array(times).fill(given));
    expect(existsSync(at('service.db'))).toBe(true);
  });
});
