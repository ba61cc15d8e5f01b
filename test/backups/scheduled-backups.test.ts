import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';

import { backupFindings, ScheduledBackups, type ScheduledBackupsOptions } from '../../src/backups';
import { loadConfig } from '../../src/config';
import type { Store } from '../../src/store';
import { useDatabase } from '../support/test-databases';

const HOUR = 3_600_000;
const BEGIN = Date.parse('2026-11-23T10:00:00Z');

describe('the backups that a service makes by itself', () => {
  const database = useDatabase('sqlite');
  let folder = '';
  let now = BEGIN;
  let store: Store;
  let made: string[];
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'backups-test-'));
    now = BEGIN;
    made = [];
    lines = [];
    store = await database.open();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const backups = (options: Partial<ScheduledBackupsOptions> = {}) => {
    const formatters = { level: (level: string) => ({ level }) };
    const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) > 0;
    const logger = pino({ formatters }, { write });
    const backUp = (file: string) => {
      made.push(file.slice(folder.length + 1));
      writeFileSync(file, '');
      return Promise.resolve();
    };
    return new ScheduledBackups({
      ...{ store, folder, everyMs: 6 * HOUR, keep: 3, backUp, logger, now: () => now },
      ...options,
    });
  };

  it('are made when they are due, and the oldest goes when a new one is good', async () => {
    writeFileSync(join(folder, 'mine.db'), '');
    const service = backups();
    for (let hour = 0; hour < 25; hour++) {
      now = BEGIN + hour * HOUR;
      await service.look();
    }
    const names = [10, 16, 22].map((hour) => `service-20261123T${String(hour)}0000Z.db`);
    expect(made).toEqual([...names, 'service-20261124T040000Z.db', 'service-20261124T100000Z.db']);
    expect(readdirSync(folder)).toEqual(['mine.db', ...made.slice(-3)]);
    expect(lines.map(({ msg }) => msg)).toEqual(Array.from(made, () => 'the database was backed up'));
  });

  it('are made by one of several processes and nodes', async () => {
    const services = [backups(), backups(), backups()];
    await Promise.all(services.map((service) => service.look()));
    now += 6 * HOUR;
    await Promise.all(services.map((service) => service.look()));
    expect(made).toHaveLength(2);
  });

  it('are tried again after ten minutes where one failed, and the log says why', async () => {
    writeFileSync(join(folder, 'service-20200101T000000Z.db'), '');
    const service = backups({ keep: 1, backUp: () => Promise.reject(new Error('The disk is full.')) });
    await service.look();
    expect(lines).toMatchObject([
      { level: 'error', msg: 'the database was not backed up', reason: 'The disk is full.' },
    ]);
    // Nothing goes for it.
    expect(readdirSync(folder)).toEqual(['service-20200101T000000Z.db']);
    const other = backups();
    now += 9 * 60_000;
    await other.look();
    expect(made).toEqual([]);
    now += 60_000;
    await other.look();
    expect(made).toHaveLength(1);
  });

  it('are another’s where a service was killed while it made one', async () => {
    expect(await store.backups.takeTurn(now, 6 * HOUR, HOUR)).toBe(true);
    now += HOUR - 1;
    await backups().look();
    expect(made).toEqual([]);
    now += 1;
    await backups().look();
    expect(made).toHaveLength(1);
  });

  it('do not wait for a time that was set further away, or by a clock that was put', async () => {
    await backups({ everyMs: 240 * HOUR }).look();
    now += 6 * HOUR;
    await backups().look();
    expect(made).toHaveLength(2);
  });

  it('end with the service, and go on with the next one', async () => {
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

  it('have settings that are warned of where they have no effect', () => {
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
