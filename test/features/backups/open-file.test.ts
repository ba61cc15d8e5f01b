import fs from 'node:fs';
import { join } from 'node:path';

import { backUpDatabase } from '../../../src/features/backups/back-up';
import { restoreDatabase } from '../../../src/features/backups/restore';
import { nameAnew, writeWhole } from '../../../src/features/backups/whole-file';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useDatabase } from '../../harness/test-databases';

const onLinux = process.platform === 'linux' ? it : it.skip;
const onPages = (): void => undefined;
/** Functions that give a file a name or take one away, and the places of its names among their arguments. */
const NAMING = { renameSync: [0, 1], linkSync: [0], rmSync: [0] } as const;

describe('on Windows', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  const inFolder = (name: string): string => join(database.folder, name);

  /** Returns the files that this process has open, by device and inode, as Linux lists them. */
  const openFiles = (): readonly string[] =>
    fs.readdirSync('/proc/self/fd').flatMap((name) => {
      const stats = fs.statSync(`/proc/self/fd/${name}`, { throwIfNoEntry: false });
      return stats === undefined ? [] : [`${String(stats.dev)}:${String(stats.ino)}`];
    });

  const isOpen = (path: string): boolean => {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && openFiles().includes(`${String(stats.dev)}:${String(stats.ino)}`);
  };

  /** Returns the calls that Windows would refuse during some work, and the number of all. */
  async function namingIn(work: () => Promise<unknown>): Promise<{ refused: string[]; calls: number }> {
    await letGoOfClosed(database.folder);
    const refused: string[] = [];
    let calls = 0;
    for (const [name, places] of Object.entries(NAMING)) {
      const original = fs[name as keyof typeof NAMING] as (...args: unknown[]) => void;
      jest.spyOn(fs, name as keyof typeof NAMING).mockImplementation((...args: unknown[]) => {
        calls += 1;
        for (const at of places) if (isOpen(String(args[at]))) refused.push(`${name} ${String(args[at])}`);
        original(...args);
      });
    }
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      await work();
    } finally {
      Object.defineProperty(process, 'platform', { value: 'linux' });
      jest.restoreAllMocks();
    }
    return { refused, calls };
  }

  onLinux('backups and restores rename, link and remove no open file', async () => {
    const file = inFolder('kept.db');
    const other = `sqlite:${inFolder('other.db')}`;
    for (const work of [
      () => backUpDatabase(database.url, { file, replace: false, onPages }),
      () => backUpDatabase(database.url, { file, replace: true, onPages }),
      () => restoreDatabase(database.url, { file, replace: true, onPages }),
      () => restoreDatabase(other, { file, replace: false, onPages }),
    ]) {
      const { refused, calls } = await namingIn(work);
      expect(refused).toEqual([]);
      expect(calls).toBeGreaterThan(3);
    }
  });

  it('a file that cannot be removed fails no backup, and gets no second name', async () => {
    const folder = inFolder('held');
    fs.mkdirSync(folder);
    jest.spyOn(fs, 'rmSync').mockImplementation(() => {
      throw Object.assign(new Error('held'), { code: 'EBUSY' });
    });
    const file = join(folder, 'kept.db');
    try {
      await writeWhole(
        file,
        (partial) => fs.promises.writeFile(partial, 'whole'),
        (partial) => {
          nameAnew(partial, file);
        },
      );
    } finally {
      jest.restoreAllMocks();
    }
    expect(fs.readFileSync(file, 'utf8')).toBe('whole');
    // The next run for any file of the folder removes what is left.
    for (const name of fs.readdirSync(folder)) fs.utimesSync(join(folder, name), 1, 1);
    const next = join(folder, 'next.db');
    await writeWhole(
      next,
      () => Promise.resolve(),
      (partial) => {
        nameAnew(partial, next);
      },
    );
    expect(fs.readdirSync(folder).toSorted()).toEqual(['kept.db', 'next.db']);
  });
});
