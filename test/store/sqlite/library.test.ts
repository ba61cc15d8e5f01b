import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { StoreError } from '../../../src/store';
import { DatabaseSync, hasOwnSqlite, sqliteError } from '../../../src/store/sqlite/library';
import { useFolderPerTest } from '../../harness/use-folder';

describe('the SQLite that the store uses', () => {
  it.each([
    { node: '20.20.2', sqlite: undefined, isOwn: false, why: 'there is none' },
    { node: '24.0.0', sqlite: undefined, isOwn: false, why: 'it was built without one' },
    { node: '22.23.3', sqlite: '3.51.3', isOwn: false, why: 'it is an experiment' },
    { node: '24.14.0', sqlite: '3.51.2', isOwn: false, why: 'it can damage a file' },
    { node: '24.14.0', sqlite: '3.9.9', isOwn: false, why: 'it can damage a file' },
    { node: '24.15.0', sqlite: '3.51.3', isOwn: true, why: 'it is good' },
    { node: '26.10.0', sqlite: '3.53.0', isOwn: true, why: 'it is good' },
    { node: '30.0.0', sqlite: '4.0', isOwn: true, why: 'it is good' },
  ])("is Node's own with Node $node and SQLite $sqlite: $isOwn, because $why", ({ node, sqlite, isOwn }) => {
    expect(hasOwnSqlite({ node, ...(sqlite === undefined ? {} : { sqlite }) })).toBe(isOwn);
  });

  it('is the one intended for this Node', () => {
    const load = createRequire(__filename);
    const own = hasOwnSqlite(process.versions);
    const expected = load(own ? 'node:sqlite' : '@photostructure/sqlite') as { DatabaseSync: unknown };
    expect(DatabaseSync).toBe(expected.DatabaseSync);
  });

  it('is of a version that cannot damage a file when it resets its log', () => {
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('select sqlite_version() as version').get() as { version: string };
    database.close();
    expect(hasOwnSqlite({ node: '24.0.0', sqlite: row.version })).toBe(true);
  });
});

describe('an error of SQLite', () => {
  const folder = useFolderPerTest();
  const open = (name = 'service.db') => new DatabaseSync(join(folder(), name), { timeout: 0 });

  const CAUSES: Readonly<Record<string, () => void>> = {
    'another writer': () => {
      open().exec('begin immediate');
      open().exec('begin immediate');
    },
    'a statement in progress': () => {
      const database = open();
      database.exec('create table rows (a); insert into rows values (1), (2)');
      database.prepare('select a from rows').iterate().next();
      database.exec('drop table rows');
    },
    'a read-only file': () => {
      open().exec('pragma query_only = on; create table rows (a)');
    },
    'a full disk': () => {
      open().exec('pragma max_page_count = 1; create table rows (a)');
    },
    'a failing disk': () => {
      throw new Error('disk I/O error');
    },
    'a damaged file': () => {
      throw new Error('database disk image is malformed');
    },
    'a damaged schema': () => {
      throw new Error('malformed database schema (students)');
    },
    'another kind of file': () => {
      writeFileSync(join(folder(), 'service.db'), 'These are not the bytes of a database. '.repeat(100));
      open().exec('select * from sqlite_schema');
    },
    'a missing folder': () => {
      open('none/service.db');
    },
    'a refused row': () => {
      open().exec('create table rows (a not null); insert into rows values (null)');
    },
    'a mistake': () => {
      open().exec('no such statement');
    },
  };

  it.each([
    ['another writer', 'locked', 'Another process locked the database for too long.'],
    ['a statement in progress', 'locked', 'Another statement keeps a table locked.'],
    ['a read-only file', 'read-only', 'The database file is not writable.'],
    ['a full disk', 'full', 'The disk of the database is full.'],
    ['a failing disk', 'failed', 'Disk error while reading or writing the database.'],
    ['a damaged file', 'corrupt', 'The database file is damaged.'],
    ['a damaged schema', 'corrupt', 'The database file is damaged.'],
    ['another kind of file', 'corrupt', 'The file is not an SQLite database, or it is damaged.'],
    ['a missing folder', 'unavailable', 'Cannot open the database file.'],
    ['a refused row', 'conflict', 'A database constraint rejected a row.'],
    ['a mistake', 'failed', 'The database failed to run a statement.'],
  ])('is reported in one line for the operator: %s', (cause, trouble, message) => {
    let thrown: unknown;
    try {
      CAUSES[cause]?.();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeDefined();
    expect(sqliteError(thrown)).toMatchObject({ name: 'StoreError', trouble, message, cause: thrown });
  });

  it('stays what it is if the store has reported it already', () => {
    const error = new StoreError('moved', 'It was moved.');
    expect(sqliteError(error)).toBe(error);
  });
});
