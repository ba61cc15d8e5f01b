import { createRequire } from 'node:module';

import { DatabaseSync, hasOwnSqlite } from '../../../src/store/sqlite/library';

describe('the SQLite that the store uses', () => {
  it.each([
    { node: '20.20.2', sqlite: undefined, isOwn: false, why: 'there is none' },
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
