import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PROGRAM } from '../../../scripts/harness';
import {
  backupFindings,
  openBackups,
  scheduledBackups,
} from '../../../src/features/backups/scheduled-backups';
import { loadConfig, readSettings } from '../../../src/config';
import { openStore, type Store } from '../../../src/store';
import { useDatabase } from '../../harness/test-databases';
import { loggerInto } from '../../harness/log-lines';
import { endedCommand, replaceSpawn, runCommandsHere } from '../../harness/replace-spawn';
import { useFolderPerTest } from '../../harness/use-folder';

const HOUR = 3_600_000;
const BEGIN = Date.parse('2026-11-23T10:00:00Z');

describe('the scheduled backups of a service', () => {
  const database = useDatabase('sqlite');
  const folder = useFolderPerTest();
  let now = BEGIN;
  let store: Store;
  let made: string[];
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    now = BEGIN;
    made = [];
    lines = [];
    store = await database.open();
  });

  const backups = (options: Partial<Parameters<typeof scheduledBackups>[0]> = {}) => {
    const logger = loggerInto(lines);
    const backUp = (file: string) => {
      made.push(file.slice(folder().length + 1));
      writeFileSync(file, '');
      return Promise.resolve();
    };
    return scheduledBackups({
      ...{ store, folder: folder(), everyMs: 6 * HOUR, keep: 3, backUp, logger, now: () => now },
      ...options,
    });
  };

  it('are made when due, and the oldest is removed when a new one succeeds', async () => {
    writeFileSync(join(folder(), 'mine.db'), '');
    const service = backups();
    for (let hour = 0; hour < 25; hour++) {
      now = BEGIN + hour * HOUR;
      await service.look();
    }
    const names = [10, 16, 22].map((hour) => `service-20261123T${String(hour)}0000Z.db`);
    expect(made).toEqual([...names, 'service-20261124T040000Z.db', 'service-20261124T100000Z.db']);
    expect(readdirSync(folder())).toEqual(['mine.db', ...made.slice(-3)]);
    expect(lines.map(({ msg }) => msg)).toEqual(Array.from(made, () => 'database backup completed'));
  });

  it('are made by only one of several processes and nodes', async () => {
    const services = [backups(), backups(), backups()];
    await Promise.all(services.map((service) => service.look()));
    now += 6 * HOUR;
    await Promise.all(services.map((service) => service.look()));
    expect(made).toHaveLength(2);
  });

  it.each([
    [10, 6 * 60],
    [10, 10],
    [5, 5],
  ])(
    'are retried %i minutes after a failure if they are made every %i, with the reason in the log',
    async (againIn, every) => {
      const everyMs = every * 60_000;
      writeFileSync(join(folder(), 'service-20200101T000000Z.db'), '');
      const service = backups({
        everyMs,
        keep: 1,
        backUp: () => {
          // The disk is full after a while only.
          now += 30 * 60_000;
          return Promise.reject(new Error('The disk is full.'));
        },
      });
      await service.look();
      expect(lines).toMatchObject([
        { level: 'error', msg: 'database backup failed', reason: 'The disk is full.' },
      ]);
      // Nothing goes for it.
      expect(readdirSync(folder())).toEqual(['service-20200101T000000Z.db']);
      const other = backups({ everyMs });
      now += againIn * 60_000 - 1;
      await other.look();
      expect(made).toEqual([]);
      now += 1;
      await other.look();
      expect(made).toHaveLength(1);
    },
  );

  it('are taken over from a service that was killed during a backup', async () => {
    expect(await store.backups.takeTurn(now, 6 * HOUR, HOUR)).toBe(true);
    now += HOUR - 1;
    await backups().look();
    expect(made).toEqual([]);
    now += 1;
    await backups().look();
    expect(made).toHaveLength(1);
  });

  it('do not wait for a time set by a longer interval or another clock', async () => {
    await backups({ everyMs: 240 * HOUR }).look();
    now += 6 * HOUR;
    await backups().look();
    expect(made).toHaveLength(2);
  });

  it('end with the service, and continue with the next one', async () => {
    let begun: () => void;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const service = backups({
      backUp: (_file, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
          begun();
        }),
    });
    service.start();
    await running;
    await service.stop();
    expect(lines).toEqual([]);
    await backups().look();
    expect(made).toHaveLength(1);
  });

  it('remove only old backups, whatever else is in the folder', async () => {
    const others = ['mine.db', 'service-20200101T000000Z.db-journal', 'a-service-20200101T000000Z.db'];
    for (const name of [...others, 'service-20200101T000000Z.db']) writeFileSync(join(folder(), name), '');
    await backups({ keep: 1 }).look();
    expect(readdirSync(folder()).toSorted()).toEqual([...others, ...made].toSorted());
  });

  it('log the file and the duration in milliseconds', async () => {
    writeFileSync(join(folder(), 'service-20200101T000000Z.db'), '');
    const backUp = (file: string) => {
      now += 250;
      writeFileSync(file, '');
      return Promise.resolve();
    };
    await backups({ keep: 1, backUp }).look();
    const file = join(folder(), 'service-20261123T100000Z.db');
    expect(lines).toMatchObject([{ level: 'info', file, milliseconds: 250 }]);
  });

  it('are checked every minute', async () => {
    jest.useFakeTimers({ now: BEGIN, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const takeTurn = jest.fn(() => Promise.resolve(false));
      const service = backups({ store: { backups: { takeTurn, setNext: () => Promise.resolve() } } });
      service.start();
      expect(takeTurn).toHaveBeenCalledTimes(1);
      await service.look();
      jest.advanceTimersByTime(60_000);
      expect(takeTurn).toHaveBeenCalledTimes(2);
      await service.stop();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are skipped until the next check if the store does not answer', async () => {
    const takeTurn = () => Promise.reject(new Error('no store'));
    await backups({ store: { backups: { takeTurn, setNext: () => Promise.resolve() } } }).look();
    expect(made).toEqual([]);
    expect(lines).toEqual([]);
  });

  describe('opened from the settings', () => {
    const settings = (more: Record<string, string>) =>
      loadConfig({
        DATABASE_URL: `sqlite:${join(folder(), 'service.db')}`,
        BACKUP_FOLDER: folder(),
        ...more,
      });

    it.each([
      ['without a folder', { BACKUP_FOLDER: '' }],
      ['in a process that only answers requests', { ROLE: 'web' }],
      ['on PostgreSQL', { DATABASE_URL: 'postgres://localhost/school' }],
      ['on a database in memory', { DATABASE_URL: 'sqlite::memory:' }],
    ])('are off %s', (_where, more) => {
      expect(openBackups(settings(more), store, loggerInto(lines), PROGRAM)).toBeUndefined();
    });

    it('are of the database that a secret file names, in an environment that the command accepts', async () => {
      const secret = join(folder(), 'url');
      writeFileSync(secret, `${database.url}\n`);
      const own = process.env;
      process.env = { DATABASE_URL_FILE: secret, BACKUP_FOLDER: folder() };
      const environments: Record<string, string>[] = [];
      replaceSpawn((options) => {
        environments.push((options as { readonly env: Record<string, string> }).env);
        return endedCommand();
      });
      try {
        await openBackups(readSettings(process.env).config, store, loggerInto(lines), PROGRAM)?.look();
      } finally {
        process.env = own;
        jest.restoreAllMocks();
      }
      expect(environments.map((each) => readSettings(each).config.DATABASE_URL)).toEqual([database.url]);
      expect(lines.map(({ msg }) => msg)).toEqual(['database backup completed']);
    });

    it('are made by the backup command', async () => {
      runCommandsHere(folder());
      await openBackups(settings({ DATABASE_URL: database.url }), store, loggerInto(lines), PROGRAM)?.look();
      jest.restoreAllMocks();
      const [{ file } = {}] = lines;
      expect(lines).toMatchObject([{ level: 'info', msg: 'database backup completed' }]);
      const copy = await openStore({ url: `sqlite:${String(file)}`, mustExist: true });
      await copy.close();
    });

    it("fail with the last line of the command's output", async () => {
      runCommandsHere(folder());
      await openBackups(settings({}), store, loggerInto(lines), PROGRAM)?.look();
      jest.restoreAllMocks();
      expect(lines).toMatchObject([{ level: 'error', msg: 'database backup failed' }]);
      expect(lines[0]?.['reason']).toMatch(/service\.db/);
      expect(lines[0]?.['reason']).not.toContain('\n');
    });
  });

  it('cause a warning if their settings have no effect', () => {
    const findings = (url: string) =>
      backupFindings(loadConfig({ BACKUP_FOLDER: '/backups', DATABASE_URL: url }));
    expect(findings('sqlite:/data/service.db')).toEqual([]);
    for (const url of ['sqlite::memory:', 'postgres://localhost/school']) {
      expect(findings(url)).toMatchObject([
        { level: 'warn', message: expect.stringMatching(/^BACKUP_FOLDER has no effect/) as string },
      ]);
    }
  });
});
