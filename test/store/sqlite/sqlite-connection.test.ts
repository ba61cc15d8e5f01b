import { join } from 'node:path';

import { sql } from 'kysely';

import { hotRead, type HotStatement, hotWrite } from '../../../src/store/engine/hot-statement';
import { GroupCommit } from '../../../src/store/sqlite/group-commit';
import type { DatabaseSyncInstance } from '../../../src/store/sqlite/library';
import { openDatabase } from '../../../src/store/sqlite/open-database';
import { DirectConnection, ReadTurn, SqliteConnection } from '../../../src/store/sqlite/sqlite-connection';
import { useFolderPerTest } from '../../harness/use-folder';

type Statement = HotStatement<string, readonly [value: string]>;

const FIND: Statement = hotRead(
  'find',
  (param) => sql`select value from rows where value = ${param((value) => value)}`,
);
const FIND_ONE: Statement = { ...FIND, name: 'find one', single: true };
const COUNT = hotRead<undefined, readonly [rows: number]>('count', () => sql`select count(*) from rows`);
const ADD: Statement = hotWrite(
  'add',
  (param) => sql`insert into rows values (${param((value) => value)}) returning value`,
  { gathers: true },
);

describe('connections to a SQLite file', () => {
  const folder = useFolderPerTest();
  let writing: DatabaseSyncInstance;
  let reading: DatabaseSyncInstance;
  let writer: SqliteConnection;
  let direct: DirectConnection;

  beforeEach(() => {
    const path = join(folder(), 'service.db');
    writing = openDatabase(path);
    writing.exec('create table rows (value text not null)');
    reading = openDatabase(path, { readOnly: true });
    writer = new SqliteConnection(writing);
    const turn = new ReadTurn(reading);
    direct = new DirectConnection(
      new SqliteConnection(reading),
      turn,
      new GroupCommit(writing, writer, 1000),
    );
  });
  afterEach(async () => {
    await nextTurn();
    writing.close();
    reading.close();
  });

  const add = (value: string): void => {
    writing.prepare('insert into rows values (?)').run(value);
  };
  const nextTurn = () => new Promise(setImmediate);

  it('read on the one that only reads, and write on the other, each statement by itself or several together', async () => {
    expect(await direct.rows(ADD, 'a')).toEqual([['a']]);
    expect(await direct.rowsOfAll(ADD, ['b', 'c'])).toEqual([[['b']], [['c']]]);
    expect(await direct.rows(FIND, 'a')).toEqual([['a']]);
    expect(await direct.rowsOfAll(FIND, ['b', 'x'])).toEqual([[['b']], []]);
    await direct.lock();
  });

  it('return at most one row of a statement that has no more', async () => {
    add('a');
    add('a');
    expect(await direct.rows(FIND, 'a')).toHaveLength(2);
    expect(await direct.rows(FIND_ONE, 'a')).toEqual([['a']]);
    expect(await direct.rows(FIND_ONE, 'x')).toEqual([]);
  });

  it('read one snapshot per turn of the event loop', async () => {
    expect(await direct.rows(FIND, 'a')).toEqual([]);
    add('a');
    expect(await direct.rowsOfAll(FIND, ['a'])).toEqual([[]]);
    await nextTurn();
    expect(reading.isTransaction).toBe(false);
    expect(await direct.rows(FIND, 'a')).toEqual([['a']]);
  });

  it('run a statement without values once for each snapshot', async () => {
    const get = jest.spyOn(SqliteConnection.prototype, 'rows');
    try {
      const answers = await Promise.all([0, 1, 2].map(() => direct.rows(COUNT, undefined)));
      expect(answers).toEqual([[[0]], [[0]], [[0]]]);
      expect(get).toHaveBeenCalledTimes(1);
      await direct.rowsOfAll(FIND, ['a', 'b']);
      expect(get).toHaveBeenCalledTimes(3);
      // A commit ends the snapshot: who waited for it reads what it wrote.
      await direct.rows(ADD, 'a');
      expect(await direct.rows(COUNT, undefined)).toEqual([[1]]);
      add('b');
      await nextTurn();
      expect(await direct.rows(COUNT, undefined)).toEqual([[2]]);
    } finally {
      get.mockRestore();
    }
  });

  it('end a snapshot early, even one that SQLite has ended already', () => {
    const turn = new ReadTurn(reading);
    turn.end();
    turn.begin();
    turn.begin();
    expect(reading.isTransaction).toBe(true);
    turn.end();
    expect(reading.isTransaction).toBe(false);
    turn.begin();
    reading.exec('rollback');
    turn.end();
    expect(reading.isTransaction).toBe(false);
  });

  it('report a failing statement as a StoreError', async () => {
    await expect(writer.rows(ADD, null as unknown as string)).rejects.toMatchObject({ trouble: 'conflict' });
    await expect(direct.rowsOfAll(FIND, ['a'])).resolves.toEqual([[]]);
    await nextTurn();
    reading.close();
    await expect(direct.rows(FIND, 'a')).rejects.toMatchObject({ name: 'StoreError' });
    reading = openDatabase(join(folder(), 'service.db'));
  });

  it('count statements that may have changed something, and no reads', async () => {
    const changes: number[] = [];
    const count = (): unknown => changes.push(writer.changes);
    count();
    await writer.rows(FIND, 'a');
    count();
    await writer.rows(ADD, 'a');
    count();
    await writer.rowsOfAll(ADD, ['b', 'c']);
    count();
    expect(writer.kysely).toBeDefined();
    count();
    expect(changes).toEqual([0, 0, 1, 3, 4]);
  });
});
