import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { copyDatabase } from '../../../src/store/sqlite/copy-database';
import { DatabaseSync, type DatabaseSyncInstance } from '../../../src/store/sqlite/library';
import { useFolderPerTest } from '../../harness/use-folder';

/** More pages than are copied before other work gets a turn. */
const PAGES = 1100;

describe('copying a database', () => {
  const folder = useFolderPerTest();
  const at = (name: string): string => join(folder(), name);
  /** Runs statements on a connection without the program's settings, and closes it. */
  const run = (name: string, statements: string): void => {
    const connection = new DatabaseSync(at(name), { timeout: 0 });
    connection.exec(statements);
    connection.close();
  };
  const read = (name: string, query: string): unknown => {
    const connection: DatabaseSyncInstance = new DatabaseSync(at(name));
    const row: unknown = connection.prepare(query).get();
    connection.close();
    return row;
  };
  const copy = (onPages: (done: number, of: number) => void = () => undefined) =>
    copyDatabase(at('from.db'), at('to.db'), onPages);
  beforeEach(() => {
    run('from.db', 'create table b (id integer primary key); create table a (id integer primary key)');
    run('from.db', 'insert into b values (1), (2)');
  });

  it('counts the rows of each table, in alphabetical order, and none of SQLite’s own', async () => {
    run('from.db', 'create index b_id on b (id); analyze');
    expect(await copy()).toEqual([
      { table: 'a', rows: 0 },
      { table: 'b', rows: 2 },
    ]);
    expect(read('to.db', 'select count(*) as rows from b')).toEqual({ rows: 2 });
  });

  it('reports its progress in pages, and copies nothing written meanwhile', async () => {
    run('from.db', 'pragma journal_mode = WAL');
    run('from.db', `create table filler as select zeroblob(4096 * ${String(PAGES)}) as bytes`);
    const seen: (readonly [done: number, of: number])[] = [];
    const tables = await copy((done, of) => {
      if (seen.length === 0) run('from.db', 'insert into b values (3)');
      seen.push([done, of]);
    });
    expect(tables).toContainEqual({ table: 'b', rows: 2 });
    const [, pages = 0] = seen.at(-1) ?? [];
    expect(pages).toBeGreaterThan(PAGES);
    expect(seen).toEqual([
      [1000, pages],
      [pages, pages],
    ]);
  });

  it('makes a single file without a log of a database with one', async () => {
    run('from.db', 'pragma journal_mode = WAL');
    await copy();
    expect(read('to.db', 'pragma journal_mode')).toEqual({ journal_mode: 'delete' });
    expect(existsSync(at('to.db-wal'))).toBe(false);
  });

  it('leaves the database unlocked, and changes nothing of it', async () => {
    await copy();
    expect(() => {
      run('from.db', 'begin exclusive; commit');
    }).not.toThrow();
    expect(read('from.db', 'pragma journal_mode')).toEqual({ journal_mode: 'delete' });
  });

  it('fails if the row counts differ', async () => {
    const spoil = (): void => {
      run('to.db', 'delete from b where id = 1');
    };
    await expect(copy(spoil)).rejects.toMatchObject({
      trouble: 'corrupt',
      message: 'The row counts of the copy and the database differ.',
    });
  });

  it('fails if a row refers to a missing one', async () => {
    run('from.db', 'create table c (b_id references b); pragma foreign_keys = OFF; insert into c values (9)');
    await expect(copy()).rejects.toMatchObject({
      trouble: 'corrupt',
      message: 'A row of the table c refers to a missing row.',
    });
  });

  it('fails if SQLite finds damage', async () => {
    run('from.db', 'create table c (value text check (value <> 1)); pragma ignore_check_constraints = ON');
    run('from.db', 'pragma ignore_check_constraints = ON; insert into c values (1)');
    await expect(copy()).rejects.toMatchObject({
      trouble: 'corrupt',
      message: 'The database is damaged: CHECK constraint failed in c.',
    });
  });

  it('fails with a StoreError if there is no database, and creates none', async () => {
    await expect(copyDatabase(at('none.db'), at('to.db'), () => undefined)).rejects.toMatchObject({
      name: 'StoreError',
      trouble: 'unavailable',
    });
    expect(existsSync(at('none.db'))).toBe(false);
    writeFileSync(at('text.db'), 'These are not the bytes of a database. '.repeat(100));
    await expect(copyDatabase(at('text.db'), at('to.db'), () => undefined)).rejects.toMatchObject({
      trouble: 'corrupt',
    });
  });
});
