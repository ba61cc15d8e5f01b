import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { sql } from 'kysely';

import type { TypedColumn } from '../../../src/store/engine/engine';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { openDatabase } from '../../../src/store/sqlite/open-database';
import { aloneOnSqlite, onSqlite, SqliteSession } from '../../../src/store/sqlite/sqlite-session';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useFolderPerTest } from '../../harness/use-folder';

const COLUMNS: readonly TypedColumn[] = [
  { name: 'id', type: 'integer' },
  { name: 'value', type: 'text' },
];

describe('a session on SQLite', () => {
  const folder = useFolderPerTest();
  const path = (): string => join(folder(), 'service.db');
  /** Runs statements on another connection, which waits for no lock. */
  const run = (statements: string): void => {
    const other = new DatabaseSync(path(), { timeout: 0 });
    try {
      other.exec(statements);
    } finally {
      other.close();
    }
  };
  const ids = (): readonly unknown[] => {
    const other = new DatabaseSync(path());
    const rows: readonly unknown[] = other.prepare('select id from rows order by id').all();
    other.close();
    return rows.map((row) => Object.values(row ?? {}).join());
  };

  beforeEach(() => {
    const database = openDatabase(path());
    database.exec('create table rows (id integer primary key, value text)');
    database.close();
  });

  describe('that adds rows', () => {
    const good = [
      [1, 'a'],
      [2, null],
    ];
    const bad = [
      [3, 'c'],
      [3, 'd'],
    ];

    it('adds all of them in one transaction, or none', async () => {
      await onSqlite(path(), async (session) => {
        await session.insertRows('rows', COLUMNS, good);
        await expect(session.insertRows('rows', COLUMNS, bad)).rejects.toMatchObject({ trouble: 'conflict' });
        run("insert into rows values (9, 'other')");
        await session.insertRows('rows', COLUMNS, [[4, 'e']]);
      });
      expect(ids()).toEqual(['1', '2', '4', '9']);
    });

    it('leaves it to the transaction in progress to keep them', async () => {
      await onSqlite(path(), async (session) => {
        await sql`begin`.execute(session.kysely);
        await session.insertRows('rows', COLUMNS, good);
        expect(ids()).toEqual([]);
        await expect(session.insertRows('rows', COLUMNS, bad)).rejects.toMatchObject({ trouble: 'conflict' });
        await sql`commit`.execute(session.kysely);
      });
      expect(ids()).toEqual(['1', '2', '3']);
    });

    it('reports an unknown table as a StoreError, and keeps the transaction in progress', async () => {
      await onSqlite(path(), async (session) => {
        await sql`begin`.execute(session.kysely);
        await session.insertRows('rows', COLUMNS, good);
        await expect(session.insertRows('none', COLUMNS, good)).rejects.toMatchObject({ trouble: 'failed' });
        await sql`commit`.execute(session.kysely);
      });
      expect(ids()).toEqual(['1', '2']);
    });
  });

  it('drops its temporary tables, and no other, on a connection that stays open', () => {
    const database = openDatabase(path());
    database.exec('create temp table one (a); create temp table two (a)');
    new SqliteSession(database).dropTemporaryTables();
    expect(database.prepare('select name from temp.sqlite_schema').all()).toEqual([]);
    expect(database.prepare('select count(*) as rows from rows').get()).toMatchObject({ rows: 0 });
    database.close();
  });

  it('keeps the journal mode, and closes its connection even if the work fails', async () => {
    run('pragma journal_mode = DELETE');
    await expect(
      onSqlite(path(), async ({ kysely }) => {
        await sql`begin exclusive`.execute(kysely);
        throw new Error('on purpose');
      }),
    ).rejects.toThrow('on purpose');
    await letGoOfClosed(folder());
    const mode = openDatabase(path(), { asItIs: true });
    expect(mode.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'delete' });
    mode.exec('begin exclusive; commit');
    mode.close();
  });

  describe('that is alone on a file', () => {
    const look = (): void => {
      run('select count(*) from rows');
    };

    it('locks others out, and lets them in again', async () => {
      const result = await aloneOnSqlite(path(), true, async (session) => {
        expect(look).toThrow('database is locked');
        await session.insertRows('rows', COLUMNS, [[1, 'a']]);
        expect(look).toThrow('database is locked');
        return 'done';
      });
      expect(result).toBe('done');
      expect(look).not.toThrow();
      expect(ids()).toEqual(['1']);
    });

    it('undoes what failing work left uncommitted, and lets others in again', async () => {
      const work = aloneOnSqlite(path(), true, async (session) => {
        await sql`begin`.execute(session.kysely);
        await session.insertRows('rows', COLUMNS, [[1, 'a']]);
        throw new Error('on purpose');
      });
      await expect(work).rejects.toThrow('on purpose');
      expect(ids()).toEqual([]);
    });

    it('refuses a file that is open elsewhere', async () => {
      const service = openDatabase(path());
      service.exec('select count(*) from rows');
      const work = jest.fn(() => Promise.resolve());
      await expect(aloneOnSqlite(path(), true, work)).rejects.toMatchObject({
        trouble: 'locked',
        message: 'The database is in use by a service or another program. Stop it first.',
      });
      expect(work).not.toHaveBeenCalled();
      expect(() => {
        service.exec("insert into rows values (1, 'a')");
      }).not.toThrow();
      service.close();
    });

    it('merges the log into the file before it is replaced', async () => {
      await aloneOnSqlite(path(), true, async (session) => {
        await session.insertRows('rows', COLUMNS, [[1, 'a']]);
        expect(statSync(`${path()}-wal`).size).toBeGreaterThan(0);
        await session.release();
        expect(existsSync(`${path()}-wal`)).toBe(false);
      });
    });

    it('creates a missing file with a log, or refuses it', async () => {
      const missing = join(folder(), 'new.db');
      const mode = (mustExist: boolean) =>
        aloneOnSqlite(missing, mustExist, async ({ kysely }) => {
          const { rows } = await sql`pragma journal_mode`.execute(kysely);
          return rows;
        });
      await expect(mode(true)).rejects.toMatchObject({ trouble: 'no-schema' });
      expect(existsSync(missing)).toBe(false);
      expect(await mode(false)).toEqual([{ journal_mode: 'wal' }]);
    });

    it('keeps the journal mode of an existing file', async () => {
      run('pragma journal_mode = DELETE');
      await letGoOfClosed(folder());
      const rows = await aloneOnSqlite(
        path(),
        true,
        async ({ kysely }) => (await sql`pragma journal_mode`.execute(kysely)).rows,
      );
      expect(rows).toEqual([{ journal_mode: 'delete' }]);
    });
  });
});
