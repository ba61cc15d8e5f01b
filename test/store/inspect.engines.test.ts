import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { inspectStore } from '../../src/store';
import { MIGRATIONS } from '../../src/store/migrations/migrate';
import { DatabaseSync } from '../../src/store/sqlite/library';
import { becomeNextVersion, markAsLater, NEXT_STEP } from '../harness/other-versions';
import { administer, query } from '../harness/postgres-databases';
import { describeOnPostgres, ENGINES, useDatabase } from '../harness/test-databases';

describe.each(ENGINES)('inspecting a database on %s', (name) => {
  const database = useDatabase(name);
  const empty = useDatabase(name, { holds: 'nothing' });
  const steps = Object.keys(MIGRATIONS);
  const latest = steps.at(-1);

  it('recognizes this program’s schema', async () => {
    expect(await inspectStore({ url: database.url })).toEqual({
      engine: expect.stringMatching(name === 'sqlite' ? /^SQLite 3\.\d+/ : /^PostgreSQL \d+/) as string,
      schema: { last: latest, missing: [], unknown: [] },
      secondPrimaries: [],
    });
  });

  it('reports missing steps, and does not add them', async () => {
    becomeNextVersion();
    const schema = { last: latest, missing: [NEXT_STEP], unknown: [] };
    expect(await inspectStore({ url: database.url })).toMatchObject({ schema });
    expect(await inspectStore({ url: database.url })).toMatchObject({ schema });
  });

  it('reports a database without tables, and creates none', async () => {
    const look = inspectStore({ url: empty.url });
    if (name === 'sqlite') {
      await expect(look).rejects.toMatchObject({ trouble: 'no-schema' });
      expect(existsSync(empty.url.replace('sqlite:', ''))).toBe(false);
      return;
    }
    expect((await look).schema).toEqual({ last: undefined, missing: steps, unknown: [] });
    const tables = await query(empty.url, `select 1 from pg_tables where schemaname = 'public'`);
    expect(tables.rowCount).toBe(0);
  });

  it('refuses a schema newer than this program', async () => {
    await markAsLater(database.url);
    await expect(inspectStore({ url: database.url })).rejects.toMatchObject({
      trouble: 'newer-schema',
      message: expect.stringContaining('newer than this program: 9999_later instead of') as string,
    });
  });
});

describe('inspecting a SQLite file', () => {
  const database = useDatabase('sqlite');
  const bytes = (path: string): string => readFileSync(path).toString('latin1');

  it('leaves it unchanged to the byte, along with what a killed process left beside it', async () => {
    const store = await database.open();
    await store.noLongerNew();
    const copy = join(database.folder, 'copy.db');
    for (const ending of ['', '-wal']) {
      copyFileSync(`${database.url.replace('sqlite:', '')}${ending}`, `${copy}${ending}`);
    }
    const before = [bytes(copy), bytes(`${copy}-wal`)];
    expect(before[1]).not.toBe('');
    await inspectStore({ url: `sqlite:${copy}` });
    expect([bytes(copy), bytes(`${copy}-wal`)]).toEqual(before);
  });

  it('keeps its journal mode', async () => {
    const path = join(database.folder, 'other.db');
    const other = new DatabaseSync(path);
    other.exec('create table a (b)');
    other.close();
    const before = bytes(path);
    expect((await inspectStore({ url: `sqlite:${path}` })).schema.last).toBeUndefined();
    expect(bytes(path)).toBe(before);
  });
});

describeOnPostgres('inspecting a PostgreSQL database', () => {
  const database = useDatabase('postgres');
  const empty = useDatabase('postgres', { holds: 'nothing' });

  it('reports that it is read-only', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await administer(`alter database ${name} set default_transaction_read_only = on`);
    await expect(inspectStore({ url: database.url })).rejects.toMatchObject({ trouble: 'read-only' });
    await administer(`alter database ${name} reset default_transaction_read_only`);
  });

  it('reports that its user cannot create the missing tables', async () => {
    const role = `reader_of_${new URL(empty.url).pathname.slice(1)}`;
    await administer(`create role ${role} login password 'p'`);
    await query(empty.url, 'revoke create on schema public from public');
    const url = new URL(empty.url);
    url.username = role;
    url.password = 'p';
    await expect(inspectStore({ url: url.href })).rejects.toMatchObject({
      trouble: 'read-only',
      message: expect.stringContaining('Grant it CREATE') as string,
    });
    await administer(`drop role ${role}`);
  });
});
