import fs from 'node:fs';
import { join } from 'node:path';

import { backUpDatabase } from '../../../src/features/backups/back-up';
import { restoreDatabase } from '../../../src/features/backups/restore';
import { hasOwnSqlite } from '../../../src/store/sqlite/library';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useDatabase } from '../../harness/test-databases';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('a restore on Windows', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  const path = (): string => join(database.folder, 'service.db');

  /** Returns how often this process has the database open, as Linux tells. */
  const timesOpen = (): number =>
    fs
      .readdirSync('/proc/self/fd')
      .filter((name) => fs.existsSync(`/proc/self/fd/${name}`))
      .filter((name) => fs.readlinkSync(`/proc/self/fd/${name}`) === path()).length;

  onLinux('replaces a database that is no longer open, because Windows replaces no open file', async () => {
    const options = { file: join(database.folder, 'kept.db'), replace: true, onPages: () => undefined };
    await backUpDatabase(database.url, options);
    await letGoOfClosed();
    const { renameSync } = fs;
    const open: number[] = [];
    jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (to === path()) open.push(timesOpen());
      renameSync(from, to);
    });
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      await restoreDatabase(database.url, options);
    } finally {
      Object.defineProperty(process, 'platform', { value: 'linux' });
      jest.restoreAllMocks();
    }
    // The package for older versions of Node.js closes a file when its statements are collected.
    expect(open).toHaveLength(1);
    expect(open[0]).toBeLessThanOrEqual(hasOwnSqlite(process.versions) ? 0 : 1);
  });
});
