import fs, {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { backUpDatabase, type BackupReport } from '../../../src/features/backups/back-up';
import { removeLeftBehind } from '../../../src/support/replace-file';
import { writeWhole } from '../../../src/features/backups/whole-file';
import { isSameFile } from '../../../src/support/regular-file';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { useDatabase } from '../../harness/test-databases';
import { useFolderPerTest } from '../../harness/use-folder';
import { databaseFiles } from './database-files';

/** Makes a function of the file system fail as it does on some systems. */
function fail(name: 'linkSync' | 'renameSync', code: string): void {
  jest.spyOn(fs, name).mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
}

/** Returns a function that acts when it is first called. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

describe('a backup', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const at = (name: string): string => join(database.folder, name);
  const backUp = (
    replace = false,
    onPages: () => void = () => undefined,
    url = database.url,
  ): Promise<BackupReport> => backUpDatabase(url, { file: at('kept.db'), replace, onPages });
  const files = () => databaseFiles(database.folder);

  it('of a missing database is refused', async () => {
    await expect(backUp(false, undefined, `sqlite:${at('none.db')}`)).rejects.toMatchObject({
      trouble: 'no-schema',
      message: `Database file not found. Database: ${at('none.db')}`,
    });
    expect(files()).toEqual(['service.db']);
  });

  it('does not replace a file that appears while it copies', async () => {
    const appear = (): void => {
      writeFileSync(at('kept.db'), 'mine');
    };
    await expect(backUp(false, appear)).rejects.toMatchObject({
      name: 'KeepingError',
      message: `${at('kept.db')} already exists.`,
    });
    expect(readFileSync(at('kept.db'), 'utf8')).toBe('mine');
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it.each([
    [0o700, 1],
    [0o755, 1],
    [0o1777, 1],
    [0o770, 0],
    [0o707, 0],
  ])(
    'into a folder of mode %i has %i unfinished files there, where others could replace them',
    async (mode, count) => {
      mkdirSync(at('kept'), mode);
      chmodSync(at('kept'), mode);
      const unfinished: number[] = [];
      const look = once(() => unfinished.push(readdirSync(at('kept')).length));
      const file = at('kept/kept.db');
      const { tables } = await backUpDatabase(database.url, { file, replace: false, onPages: look });
      expect(unfinished).toEqual([count]);
      expect(tables).toContainEqual({ table: 'devices', rows: 26 });
      expect(readdirSync(at('kept'))).toEqual(['kept.db']);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(files()).toEqual(['kept', 'service.db']);
    },
  );

  it('is refused if its unfinished file was replaced by a link, and nothing gets its name', async () => {
    let link = '';
    const replace = (): void => {
      const [partial = ''] = files().filter((name) => name.endsWith('.partial'));
      link = at(partial);
      rmSync(link);
      copyFileSync(at('service.db'), at('foreign.db'));
      symlinkSync(at('foreign.db'), link);
    };
    await expect(backUp(false, once(replace))).rejects.toMatchObject({ name: 'KeepingError' });
    expect(files()).toEqual(['foreign.db', 'service.db']);
  });

  it('gets its name on file systems without hard links, too', async () => {
    fail('linkSync', 'EPERM');
    await backUp();
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it('that cannot get its name leaves nothing behind', async () => {
    fail('renameSync', 'EIO');
    await expect(backUp(true)).rejects.toMatchObject({
      name: 'KeepingError',
      message: `Cannot write to the folder ${database.folder} (EIO).`,
      cause: { code: 'EIO' },
    });
    expect(files()).toEqual(['service.db']);
  });

  it('copies a database of another program, without recording that in it', async () => {
    const other = new DatabaseSync(at('other.db'));
    other.exec('create table a (b); insert into a values (1)');
    other.close();
    const { tables } = await backUp(false, undefined, `sqlite:${at('other.db')}`);
    expect(tables).toEqual([{ table: 'a', rows: 1 }]);
  });

  it('names the cause when the disk is full', async () => {
    const fill = (): void => {
      throw new Error('database or disk is full');
    };
    await expect(backUp(false, fill)).rejects.toMatchObject({ cause: { trouble: 'full' } });
  });
});

describe('a file that is written whole', () => {
  const folder = useFolderPerTest();
  const path = (): string => join(folder(), 'kept.db');
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['linux', ['sync', 'name', 'sync']],
    ['win32', ['sync', 'name']],
  ])(
    'is on disk before it has its name, and its name before it is reported, on %s',
    async (platform, steps) => {
      const { platform: own } = process;
      const [open, close, sync] = (['openSync', 'closeSync', 'fsyncSync'] as const).map((name) =>
        jest.spyOn(fs, name),
      );
      const seen: string[] = [];
      sync?.mockImplementation(() => void seen.push('sync'));
      Object.defineProperty(process, 'platform', { value: platform });
      try {
        const write = (partial: string): Promise<void> => {
          writeFileSync(partial, 'whole');
          return Promise.resolve();
        };
        await writeWhole(path(), write, (partial) => {
          seen.push('name');
          fs.renameSync(partial, path());
        });
      } finally {
        Object.defineProperty(process, 'platform', { value: own });
      }
      expect(seen).toEqual(steps);
      // Others in this process may open files of their own meanwhile.
      const opened = open?.mock.calls.filter(([name]) => String(name).startsWith(folder()));
      expect(opened).toHaveLength(close?.mock.calls.length ?? 0);
      expect(readFileSync(path(), 'utf8')).toBe('whole');
    },
  );

  it('leaves nothing behind if it fails, not even what SQLite keeps beside it', async () => {
    const write = (partial: string): Promise<void> => {
      for (const ending of ['-journal', '-wal', '-shm']) writeFileSync(partial + ending, '');
      return Promise.reject(new Error('on purpose'));
    };
    await expect(writeWhole(path(), write, () => undefined)).rejects.toThrow('on purpose');
    expect(readdirSync(folder())).toEqual([]);
  });

  it('cleans up after killed commands, and leaves all other files', () => {
    const PARTIAL = 'kept.db.0123456789ab.partial';
    const left = [PARTIAL, `${PARTIAL}-journal`, `${PARTIAL}-wal`, `${PARTIAL}-shm`, `other-${PARTIAL}`];
    const others = ['kept.db', `${PARTIAL}.txt`, 'kept.db.0123456789xy.partial'];
    for (const name of [...left, ...others]) {
      writeFileSync(join(folder(), name), '');
      utimesSync(join(folder(), name), 1, 1);
    }
    removeLeftBehind(folder());
    expect(readdirSync(folder())).toEqual(others.toSorted());
  });

  it('is not held up by a leftover that someone else removes', () => {
    const gone = 'kept.db.0123456789ab.partial';
    jest.spyOn(fs, 'readdirSync').mockReturnValue([gone] as unknown as ReturnType<typeof readdirSync>);
    expect(() => {
      removeLeftBehind(folder());
    }).not.toThrow();
  });

  it('is not the same as another one, nor as a missing one', () => {
    writeFileSync(path(), '');
    writeFileSync(join(folder(), 'other.db'), '');
    fs.linkSync(path(), join(folder(), 'link.db'));
    const same = (one: string, other: string) => isSameFile(join(folder(), one), join(folder(), other));
    expect(same('kept.db', 'link.db')).toBe(true);
    expect(same('kept.db', 'other.db')).toBe(false);
    expect(same('none.db', 'kept.db')).toBe(false);
    expect(same('none.db', 'none.db')).toBe(false);
  });
});
