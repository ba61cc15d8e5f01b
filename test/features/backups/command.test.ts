import {
  copyFileSync,
  lstatSync,
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

import { onSqlite, setMark } from '../../../src/store/whole-database';
import { openStore, type Store } from '../../../src/store';
import { restoreDatabase } from '../../../src/features/backups/restore';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { letGoOfClosed } from '../../harness/closed-connections';
import { becomeNextVersion, markAsLater } from '../../harness/other-versions';
import { runCommand } from '../../harness/run-command';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';
import { databaseFiles } from './database-files';

describe('the commands backup and restore', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  const settings = () => ({ DATABASE_URL: database.url });
  /** A process of its own would begin with nothing open. */
  const run = async (name: string, ...args: readonly string[]) => {
    await letGoOfClosed(database.folder);
    return runCommand(name, args, { folder: database.folder, settings: settings() });
  };
  const inFolder = (name: string) => join(database.folder, name);
  const files = () => databaseFiles(database.folder);
  /** Runs the service, and lets nothing of it be left open in this process. */
  const whileRuns = async (work: (service: Store) => Promise<void>) => {
    await openAndClose(database.url, work);
    await letGoOfClosed(database.folder);
  };

  it('copy the database while the service runs, and bring back its data from then', async () => {
    const made = await run('backup', 'kept.db');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toMatch(/^100 % of \d+ pages, copied\n/);
    expect(made.out).toMatch(/^students +37$/m);
    expect(made.out).toMatch(/kept\.db \([\d,]+ bytes\)\. Verified: same row counts as the database\.\n$/);
    expect(statSync(inFolder('kept.db')).mode & 0o777).toBe(0o600);
    await whileRuns(async (service) => {
      const { at, file } = (await service.backups.last()) ?? {};
      expect([typeof at, file]).toEqual(['number', inFolder('kept.db')]);
      await service.write(({ messages }) => messages.enqueue(aMessage('later')));
    });

    const back = await run('restore', 'kept.db', '--replace');
    expect(back).toMatchObject({ code: 0, err: '' });
    expect(back.out).toMatch(/^students +37$/m);
    const [, old = ''] = /^The previous database was kept as (.+)\.$/m.exec(back.out) ?? [];
    const again = await database.open();
    expect(await listMessages(again, 9)).toEqual([]);
    expect(await again.devices.tokenOf('DEV-1')).toBe('sample-token-01');
    const before = await openedAt(old);
    expect(await listMessages(before, 9)).toMatchObject([{ recipient: 'later' }]);
    await before.close();
    expect(statSync(inFolder('service.db')).mode & 0o777).toBe(0o600);
  });

  it('restore to a place without a database, even with an old journal beside it', async () => {
    await run('backup', 'kept.db');
    const empty = join(database.folder, 'new');
    const url = `sqlite:${join(empty, 'service.db')}`;
    mkdirSync(empty, { mode: 0o700 });
    // What a service that was killed left of a database that somebody then moved away: its last writes are in the log.
    const lost = new DatabaseSync(join(empty, 'lost.db'));
    lost.exec('pragma journal_mode = WAL; create table lost (id integer)');
    for (const ending of ['-wal', '-shm']) {
      const log = readFileSync(join(empty, `lost.db${ending}`));
      writeFileSync(join(empty, `service.db${ending}`), log, { mode: 0o600 });
    }
    lost.close();
    rmSync(join(empty, 'lost.db'));
    writeFileSync(join(empty, 'service.db-journal'), 'x');
    expect(readdirSync(empty)).toHaveLength(3);
    const restored = await runCommand('restore', ['kept.db'], {
      folder: database.folder,
      settings: { DATABASE_URL: url },
    });
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(empty)).toEqual(['service.db']);
    expect(restored.out).not.toContain('was there');
  });

  it('restore a database that had been moved, so that it can be used again', async () => {
    await letGoOfClosed(database.folder);
    await onSqlite(inFolder('service.db'), ({ kysely }) =>
      setMark(kysely, 'moved', { at: 1, detail: 'target.db' }),
    );
    await letGoOfClosed(database.folder);
    await expect(openStore({ url: database.url })).rejects.toMatchObject({ trouble: 'moved' });
    expect(await run('backup', 'kept.db')).toMatchObject({ code: 0 });
    await expect(openedAt(inFolder('kept.db'))).rejects.toMatchObject({ trouble: 'moved' });
    expect(await run('restore', 'kept.db', '--replace')).toMatchObject({ code: 0, err: '' });
    expect(await (await database.open()).devices.tokenOf('DEV-1')).toBe('sample-token-01');
  });

  it('show how many messages wait in a restored database, and forget its nodes', async () => {
    await whileRuns(async (service) => {
      await service.write(({ messages }) => messages.enqueue(aMessage('waiting')));
      await service.nodes.say('here:8080', { version: '1', processes: 1, circuits: [] }, Date.now());
      expect(await run('backup', 'kept.db')).toMatchObject({ code: 0 });
    });
    const { out } = await run('restore', 'kept.db', '--replace');
    expect(out).toContain(
      '\nThe backup contains 1 waiting message. Unless expired, they are sent when the service starts',
    );
    // Nobody runs on it who ran then.
    expect(await (await database.open()).nodes.list()).toEqual([]);
  });

  it('refuse to overwrite a file without --replace', async () => {
    writeFileSync(inFolder('kept.db'), 'mine');
    const { code, err } = await run('backup', 'kept.db');
    expect([code, err]).toEqual([
      1,
      `Error: ${inFolder('kept.db')} already exists. To overwrite it, add --replace.\n`,
    ]);
    expect(readFileSync(inFolder('kept.db'), 'utf8')).toBe('mine');
    expect(await run('backup', 'kept.db', '--replace')).toMatchObject({ code: 0 });
    for (const name of ['backup', 'restore'] as const) {
      expect(await run(name, 'service.db', '--replace')).toMatchObject({
        code: 1,
        err: `Error: ${inFolder('service.db')} is the database itself.\n`,
      });
    }
    const restored = await run('restore', 'kept.db');
    expect(restored.code).toBe(1);
    expect(restored.err).toMatch(
      /service\.db already contains \d+ rows\. To keep it under another name and restore the backup, add --replace/,
    );
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it('do not restore while a service has the database open', async () => {
    await run('backup', 'kept.db');
    await whileRuns(async (service) => {
      const { code, err } = await run('restore', 'kept.db', '--replace');
      expect([code, err]).toEqual([
        1,
        `Error: The database is in use by a service or another program. Stop it first. Database: ${inFolder('service.db')}\n`,
      ]);
      expect(await service.devices.tokenOf('DEV-1')).toBe('sample-token-01');
      expect(files()).toEqual(['kept.db', 'service.db']);
    });
    expect(await run('restore', 'kept.db', '--replace')).toMatchObject({ code: 0 });
  });

  it('prevent a service from starting on a database that is being replaced', async () => {
    await run('backup', 'kept.db');
    await letGoOfClosed(database.folder);
    let refused: unknown;
    await restoreDatabase(database.url, {
      file: inFolder('kept.db'),
      replace: true,
      onPages: () => {
        refused ??= attempt(() => {
          new DatabaseSync(inFolder('service.db'), { timeout: 0 }).exec('select count(*) from schools');
        });
      },
    });
    expect(refused).toMatchObject({ message: 'database is locked' });
  });

  it('refuse a file that is not a backup, is damaged or is newer, and change nothing', async () => {
    await run('backup', 'kept.db');
    const good = readFileSync(inFolder('kept.db'));
    const bad = {
      'text.db': Buffer.from('a text that is long enough to be looked at'.repeat(100)),
      'half.db': good.subarray(0, good.length / 2),
      'scratched.db': scratched(good),
    };
    for (const [name, bytes] of Object.entries(bad)) {
      writeFileSync(inFolder(name), bytes);
      const { code, out, err } = await run('restore', name, '--replace');
      expect({ name, code, out: out.replace(/^.*pages, copied\n/gm, '') }).toEqual({
        name,
        code: 1,
        out: '',
      });
      expect(err).toMatch(/Cannot restore .+\. (?:.+ is damaged|.+ not an SQLite database)/);
    }
    writeFileSync(inFolder('empty.db'), '');
    expect((await run('restore', 'empty.db', '--replace')).err).toMatch(/empty\.db is not a backup of/);
    copyFileSync(inFolder('kept.db'), inFolder('later.db'));
    await markAsLater(`sqlite:${inFolder('later.db')}`);
    expect((await run('restore', 'later.db', '--replace')).err).toMatch(
      /is newer than this program: 9999_later instead of/,
    );
    expect((await run('restore', 'nowhere.db')).err).toBe(
      `Error: File not found: ${inFolder('nowhere.db')}.\n`,
    );
    expect(files()).toEqual([
      'empty.db',
      'half.db',
      'kept.db',
      'later.db',
      'scratched.db',
      'service.db',
      'text.db',
    ]);
    expect(await (await database.open()).devices.tokenOf('DEV-1')).toBe('sample-token-01');
  });

  it('restore a backup with an earlier schema and upgrade it', async () => {
    expect(await run('backup', 'old.db')).toMatchObject({ code: 0 });
    const before = readFileSync(inFolder('old.db'));
    becomeNextVersion();
    const { code, out } = await run('restore', 'old.db', '--replace');
    expect(code).toBe(0);
    expect(out).toContain('The schema was upgraded from 0003_receipt_exact.');
    const store = await database.open({ mustExist: true });
    expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
    expect(readFileSync(inFolder('old.db'))).toEqual(before);
  });

  it('back up a database with an earlier schema without upgrading it', async () => {
    await letGoOfClosed(database.folder);
    becomeNextVersion();
    expect(await run('backup', 'kept.db')).toMatchObject({ code: 0 });
    await expect(database.open({ mustExist: true })).rejects.toMatchObject({ trouble: 'older-schema' });
  });

  it('delete what killed backups left an hour ago, and nothing else', async () => {
    const [left, fresh, other] = [
      'kept.db.0123456789ab.partial',
      'kept.db.ba9876543210.partial',
      'other.db.0123456789ab.partial',
    ];
    for (const name of [left, fresh, other]) writeFileSync(inFolder(name), 'x');
    const longAgo = new Date(Date.now() - 3_700_000);
    for (const name of [left, other]) utimesSync(inFolder(name), longAgo, longAgo);
    expect(await run('backup', 'kept.db')).toMatchObject({ code: 0 });
    expect(files()).toEqual(['kept.db', fresh, 'service.db']);
  });

  it('report that the folder is not writable', async () => {
    const { code, err } = await run('backup', '/proc/kept.db');
    expect(code).toBe(1);
    expect(err).toMatch(/^Error: Cannot write to the folder \/proc \(E[A-Z]+\)\.[^\n]*\n$/);
  });

  it('create no folder for a backup: a disk may not be mounted there', async () => {
    const { code, err } = await run('backup', 'none/kept.db');
    expect(code).toBe(1);
    expect(err).toBe(`Error: The folder ${inFolder('none')} does not exist. Create it first.\n`);
    expect(files()).toEqual(['service.db']);
  });

  it('write nothing where a link leads', async () => {
    symlinkSync(inFolder('foreign.db'), inFolder('kept.db'));
    expect(await run('backup', 'kept.db')).toMatchObject({ code: 1 });
    writeFileSync(inFolder('foreign.db'), 'foreign');
    expect(await run('backup', 'kept.db', '--replace')).toMatchObject({ code: 0 });
    expect(readFileSync(inFolder('foreign.db'), 'utf8')).toBe('foreign');
    expect(lstatSync(inFolder('kept.db')).isFile()).toBe(true);
  });

  it('print the settings for scheduled backups, without making one', async () => {
    const advice = await run('backup', '--every', '90m', '--keep', '7', 'my backups');
    expect(advice).toEqual({
      code: 0,
      out: "BACKUP_FOLDER='my backups'\nBACKUP_EVERY=90m\nBACKUP_KEEP=7\n",
      err: 'No backup was made. Add these lines to the service’s settings and restart it.\n',
    });
    expect(files()).toEqual(['service.db']);
    expect((await run('backup', '--every', '90x', 'backups')).err).toMatch(
      /^Error: BACKUP_EVERY: "90x" is not valid\. Expected: /,
    );
  });

  it('show a progress bar on a terminal', async () => {
    const { out } = await runCommand('backup', ['kept.db'], {
      folder: database.folder,
      settings: settings(),
      isTerminal: true,
    });
    expect(out).not.toContain('% of');
    expect(out).toContain('Verified: same row counts');
  });
});

describeOnPostgres('a backup on PostgreSQL', () => {
  const database = useDatabase('postgres');

  it.each([
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const)('is refused by the command %s, which names the tool to use', async (name, tool) => {
    const { code, err } = await runCommand(name, ['kept.db'], {
      folder: database.folder,
      settings: { DATABASE_URL: database.url },
    });
    expect(code).toBe(1);
    expect(err).toBe(
      `Error: DATABASE_URL is not an SQLite file. For PostgreSQL, use ${tool}; see docs/backup-and-restore.md.\n`,
    );
  });
});

function attempt(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function openAndClose(url: string, work: (service: Store) => Promise<void>): Promise<void> {
  const store = await openStore({ url });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function openedAt(file: string, options = {}): Promise<Store> {
  return openStore({ ...options, url: `sqlite:${file}` });
}

/** With other bytes in the middle of each page but the first. */
function scratched(database: Buffer): Buffer {
  const bytes = Buffer.from(database);
  for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0x5a, at + 8, at + 2048);
  return bytes;
}

function aMessage(recipient: string) {
  return {
    ...{ channel: 'push' as const, recipient, school: 'https://a.example', payload: {} },
    ...{ createdAt: 1, expiresAt: 2, dedupeKey: null },
  };
}
