import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sql } from 'kysely';

import type { Connection } from '../../../src/store/engine/engine';
import { hotRead } from '../../../src/store/engine/hot-statement';
import { GroupCommit } from '../../../src/store/sqlite/group-commit';
import { DatabaseSync, type DatabaseSyncInstance } from '../../../src/store/sqlite/library';
import { openDatabase } from '../../../src/store/sqlite/open-database';
import { SqliteConnection } from '../../../src/store/sqlite/sqlite-connection';

const COUNT = hotRead<undefined, readonly [rows: number]>('count', () => sql`select count(*) from rows`);

/** How long a write waits for another's. */
const LOCK_TIMEOUT_MS = 200;

describe('writes to SQLite', () => {
  let folder: string;
  let database: DatabaseSyncInstance;
  let other: DatabaseSyncInstance;
  let commits: GroupCommit;
  /** Records what was executed beside the prepared statements: begins, commits, savepoints. */
  let executed: string[];
  /** Records what was reported of each transaction. */
  let written: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-test-'));
    const path = join(folder, 'service.db');
    database = openDatabase(path);
    database.exec('create table parents (id text primary key) without rowid');
    database.exec('create table rows (value text not null, parent text references parents)');
    other = new DatabaseSync(path, { timeout: 0 });
    executed = [];
    const exec = database.exec.bind(database);
    Object.defineProperty(database, 'exec', {
      value: (text: string) => {
        executed.push(text);
        exec(text);
      },
    });
    written = [];
    commits = new GroupCommit(database, new SqliteConnection(database), LOCK_TIMEOUT_MS, {
      onWrite: (milliseconds, trouble) => written.push(milliseconds > 0 ? (trouble ?? 'kept') : 'no time'),
    });
  });
  afterEach(async () => {
    await commits.idle();
    other.close();
    database.close();
    rmSync(folder, { recursive: true });
  });

  function insert(value: string, parent: string | null = null) {
    return async ({ kysely }: Connection): Promise<string> => {
      await sql`insert into rows values (${value}, ${parent})`.execute(kysely);
      return value;
    };
  }

  /** Waits until the write lock was asked for so often; what is stored meanwhile is a mistake. */
  async function triesForLock(count: number): Promise<void> {
    const tries = () => executed.filter((text) => text === 'begin immediate').length;
    while (tries() < count) await new Promise(setImmediate);
    expect(stored()).toEqual([]);
  }

  /** Returns what another process sees. */
  function stored(): string[] {
    return other
      .prepare('select value from rows order by rowid')
      .all()
      .map((row: { value: string }) => row.value);
  }

  it('share one transaction when they are made in one turn of the event loop', async () => {
    const values = Array.from({ length: 20 }, (_, at) => String(at));
    await expect(Promise.all(values.map((value) => commits.write(insert(value))))).resolves.toEqual(values);
    expect(stored()).toEqual(values);
    expect(executed.filter((text) => text === 'commit')).toHaveLength(1);
    expect(written).toEqual(['kept']);
  });

  it('are on disk when they are acknowledged, and not before', async () => {
    const seenInside: string[][] = [];
    await commits.write(async (connection) => {
      await insert('a')(connection);
      seenInside.push(stored());
    });
    expect(seenInside).toEqual([[]]);
    expect(stored()).toEqual(['a']);
  });

  it.each(['write', 'writeShort'] as const)(
    'fail one by one: the failing %s is undone, and its neighbors stay',
    async (kind) => {
      const mistake = new Error('on purpose');
      const outcomes = await Promise.allSettled([
        commits[kind](insert('before')),
        commits[kind](async (connection) => {
          await insert('half done')(connection);
          throw mistake;
        }),
        commits[kind](insert('refused', 'x'.repeat(3))),
        commits[kind](insert('after')),
      ]);
      expect(outcomes).toMatchObject([
        { value: 'before' },
        { reason: mistake },
        { reason: { name: 'StoreError', trouble: 'conflict' } },
        { value: 'after' },
      ]);
      expect(stored()).toEqual(['before', 'after']);
    },
  );

  describe('that are short', () => {
    const savepoints = () => executed.filter((text) => text.startsWith('savepoint '));

    it('share a savepoint, next to others with their own', async () => {
      await Promise.all([
        commits.writeShort(insert('a')),
        commits.writeShort(insert('b')),
        commits.write(insert('c')),
        commits.writeShort(insert('d')),
        commits.writeShort(insert('e')),
        commits.writeShort(insert('f')),
      ]);
      expect(stored()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
      expect(savepoints()).toEqual(['savepoint jobs', 'savepoint job', 'savepoint jobs']);
    });

    it('are not run again because of one that throws before it has changed anything', async () => {
      const mistake = new Error('on purpose');
      let runs = 0;
      const answers = await Promise.allSettled([
        commits.writeShort((connection) => {
          runs += 1;
          return insert('a')(connection);
        }),
        commits.writeShort(async (connection) => {
          await connection.rows(COUNT, undefined);
          throw mistake;
        }),
      ]);
      expect(answers).toMatchObject([{ value: 'a' }, { reason: mistake }]);
      expect([runs, stored(), savepoints().length]).toEqual([1, ['a'], 1]);
    });

    it('are run again, each with one answer, if one of them fails after a change', async () => {
      const early = new Error('before');
      const late = new Error('behind');
      let calls = 0;
      const answers = await Promise.allSettled([
        commits.writeShort(insert('a')),
        // It would succeed another time.
        commits.writeShort(() => ((calls += 1) === 1 ? Promise.reject(early) : Promise.resolve('again'))),
        commits.writeShort(async (connection) => {
          await insert('half done')(connection);
          throw late;
        }),
        commits.writeShort(insert('b')),
      ]);
      expect(answers).toMatchObject([{ value: 'a' }, { reason: early }, { reason: late }, { value: 'b' }]);
      expect([calls, stored()]).toEqual([1, ['a', 'b']]);
    });
  });

  it('all fail if their commit fails', async () => {
    const outcomes = await Promise.allSettled([
      commits.write(insert('neighbour')),
      commits.write(async (connection) => {
        await sql`pragma defer_foreign_keys = on`.execute(connection.kysely);
        await insert('refused at the end', 'nobody')(connection);
      }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(stored()).toEqual([]);
    await expect(commits.write(insert('next'))).resolves.toBe('next');
  });

  it.each(['write', 'writeShort'] as const)(
    'all fail (%s) when the disk is full, and succeed again once there is space',
    async (kind) => {
      const pages = database.prepare('pragma page_count').get() as { page_count: number };
      database.exec(`pragma max_page_count = ${String(pages.page_count + 2)}`);
      const outcomes = await Promise.allSettled([
        commits[kind](insert('neighbour')),
        commits[kind](insert('x'.repeat(100_000))),
      ]);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { name: 'StoreError', trouble: 'full' },
        });
      }
      expect(stored()).toEqual([]);
      expect(written).toEqual(['full']);

      database.exec('pragma max_page_count = 1000000');
      await expect(commits.write(insert('next'))).resolves.toBe('next');
      expect(stored()).toEqual(['next']);
    },
  );

  it('fail while the file is read-only', async () => {
    database.exec('pragma query_only = on');
    await expect(commits.write(insert('a'))).rejects.toMatchObject({ trouble: 'read-only' });
    database.exec('pragma query_only = off');
    await expect(commits.write(insert('b'))).resolves.toBe('b');
    expect(stored()).toEqual(['b']);
  });

  it('wait for another writing process, while the event loop continues', async () => {
    const patient = new GroupCommit(database, new SqliteConnection(database), 60_000);
    other.exec('begin immediate');
    const write = patient.write(insert('a'));
    await triesForLock(3);
    other.exec('commit');
    await expect(write).resolves.toBe('a');
    expect(stored()).toEqual(['a']);
  });

  it('fail when another process writes for too long, and succeed once it is done', async () => {
    other.exec('begin immediate');
    const writes = await Promise.allSettled([commits.write(insert('a')), commits.write(insert('b'))]);
    for (const write of writes) expect(write).toMatchObject({ reason: { trouble: 'locked' } });
    expect(written).toEqual(['locked']);
    other.exec('commit');
    await expect(commits.write(insert('c'))).resolves.toBe('c');
    expect(stored()).toEqual(['c']);
  });

  it('keep waiting when earlier writes have waited too long', async () => {
    other.exec('begin immediate');
    const early = expect(commits.write(insert('early'))).rejects.toMatchObject({ trouble: 'locked' });
    await triesForLock(1);
    const late = commits.write(insert('late'));
    await early;
    other.exec('commit');
    await expect(late).resolves.toBe('late');
    expect(stored()).toEqual(['late']);
  });

  it('are checked by taking the lock, and after a failure by writing', async () => {
    await expect(commits.check()).resolves.toBeUndefined();
    other.exec('begin immediate');
    await expect(commits.check()).rejects.toMatchObject({ trouble: 'locked' });
    other.exec('commit');
    await expect(commits.check()).resolves.toBeUndefined();

    database.exec('pragma query_only = on');
    await expect(commits.write(insert('a'))).rejects.toMatchObject({ trouble: 'read-only' });
    await expect(commits.check()).rejects.toMatchObject({ trouble: 'read-only' });
    await expect(commits.check()).rejects.toMatchObject({ trouble: 'read-only' });
    database.exec('pragma query_only = off');
    await expect(commits.check()).resolves.toBeUndefined();
    await expect(commits.write(insert('b'))).resolves.toBe('b');
  });

  it('are checked by writing after a failure, even if one without changes succeeded meanwhile', async () => {
    /** Another one with each change that reaches the disk. */
    const version = (): unknown => other.prepare('pragma data_version').get();
    database.exec('pragma max_page_count = 1');
    await expect(commits.write(insert('x'.repeat(100_000)))).rejects.toMatchObject({ trouble: 'full' });
    await commits.write(() => Promise.resolve());
    const before = version();
    await commits.check();
    const checked = version();
    expect(checked).not.toEqual(before);
    await commits.check();
    expect(version()).toEqual(checked);
  });

  it('are checked by writing after one fails while a check waits', async () => {
    const version = (): unknown => other.prepare('pragma data_version').get();
    database.exec('pragma max_page_count = 1');
    let check: Promise<void> | undefined;
    const write = commits.write(async (connection) => {
      check = commits.check();
      await insert('x'.repeat(100_000))(connection);
    });
    await expect(write).rejects.toMatchObject({ trouble: 'full' });
    await check;
    const before = version();
    await commits.check();
    expect(version()).not.toEqual(before);
  });

  it('are reported with their duration, and no longer one', async () => {
    const reported: number[] = [];
    const timed = new GroupCommit(database, new SqliteConnection(database), LOCK_TIMEOUT_MS, {
      onWrite: (milliseconds) => reported.push(milliseconds),
    });
    const start = performance.now();
    await timed.write(insert('a'));
    database.exec('pragma query_only = on');
    await Promise.allSettled([timed.write(insert('b'))]);
    const all = performance.now() - start;
    expect(reported).toHaveLength(2);
    expect(reported.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(all);
  });

  it('fail with the reason even if no one listens', async () => {
    const unheard = new GroupCommit(database, new SqliteConnection(database), LOCK_TIMEOUT_MS);
    database.exec('pragma query_only = on');
    await expect(unheard.write(insert('a'))).rejects.toMatchObject({ trouble: 'read-only' });
  });
});
