import { join } from 'node:path';

import { Kysely, sql } from 'kysely';

import { DatabaseSync, type DatabaseSyncInstance } from '../../../src/store/sqlite/library';
import { sqliteDialect } from '../../../src/store/sqlite/sqlite-dialect';
import { useFolderPerTest } from '../../harness/use-folder';

interface Tables {
  readonly rows: { readonly value: string };
}

/** Statements that a connection keeps prepared. */
const KEPT = 200;

describe('Kysely on SQLite', () => {
  const folder = useFolderPerTest();
  let database: DatabaseSyncInstance;
  let other: DatabaseSyncInstance;
  let kysely: Kysely<Tables>;
  /** Texts of the statements that were prepared. */
  let prepared: string[];

  beforeEach(() => {
    const path = join(folder(), 'service.db');
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('pragma journal_mode = WAL; create table rows (value text)');
    other = new DatabaseSync(path, { timeout: 0 });
    prepared = [];
    const prepare = database.prepare.bind(database);
    Object.defineProperty(database, 'prepare', {
      value: (text: string) => {
        prepared.push(text);
        return prepare(text);
      },
    });
    kysely = new Kysely<Tables>({ dialect: sqliteDialect(database, 0) });
  });
  afterEach(async () => {
    await kysely.destroy();
    database.close();
    other.close();
  });

  const insert = (value: string) => kysely.insertInto('rows').values({ value }).executeTakeFirst();
  const select = (value: number) => sql`select ${sql.lit(value)}`.execute(kysely);
  const stored = (): unknown => other.prepare('select value from rows').all();

  it('counts the rows that a statement changed', async () => {
    await insert('a');
    await insert('a');
    expect(await kysely.updateTable('rows').set({ value: 'b' }).executeTakeFirst()).toEqual({
      numUpdatedRows: 2n,
    });
    expect(await sql`delete from rows`.execute(kysely)).toEqual({ rows: [], numAffectedRows: 2n });
  });

  it('returns the rows of a statement that changes some', async () => {
    expect(await kysely.insertInto('rows').values({ value: 'a' }).returningAll().execute()).toEqual([
      { value: 'a' },
    ]);
  });

  it('keeps the statements used last prepared, up to a limit', async () => {
    for (let value = 0; value < KEPT; value += 1) await select(value);
    await select(0);
    expect(prepared).toHaveLength(KEPT);
    await select(KEPT);
    prepared.length = 0;
    await select(0);
    await select(2);
    expect(prepared).toEqual([]);
    await select(1);
    expect(prepared).toEqual(['select 1']);
  });

  it('undoes a transaction that fails, and keeps one that succeeds', async () => {
    const transaction = (fails: boolean) =>
      kysely.transaction().execute(async (inside) => {
        await inside
          .insertInto('rows')
          .values({ value: String(fails) })
          .execute();
        if (fails) throw new Error('on purpose');
      });
    await expect(transaction(true)).rejects.toThrow('on purpose');
    expect(database.isTransaction).toBe(false);
    await transaction(false);
    expect(stored()).toEqual([{ value: 'false' }]);
  });

  it('locks others out of writing from the start of a transaction, unless it only reads', async () => {
    const write = (): void => {
      other.exec("insert into rows values ('other')");
    };
    await kysely.transaction().execute(() => {
      expect(write).toThrow('database is locked');
      return Promise.resolve();
    });
    await kysely
      .transaction()
      .setAccessMode('read only')
      .execute(() => {
        expect(write).not.toThrow();
        return Promise.resolve();
      });
  });

  it('waits for the lock of another connection outside a transaction only', async () => {
    const patient = new Kysely<Tables>({ dialect: sqliteDialect(database, 60_000) });
    database.exec('begin');
    database.exec('select * from rows');
    await patient.selectFrom('rows').selectAll().execute();
    other.exec("insert into rows values ('other')");
    await expect(patient.insertInto('rows').values({ value: 'a' }).execute()).rejects.toMatchObject({
      trouble: 'locked',
    });
    database.exec('rollback');
    other.exec('begin immediate');
    const waiting = patient.insertInto('rows').values({ value: 'b' }).execute();
    await new Promise(setImmediate);
    other.exec('commit');
    await waiting;
    expect(stored()).toEqual([{ value: 'other' }, { value: 'b' }]);
  });

  it('refuses to stream, because PostgreSQL cannot', async () => {
    const stream = kysely.selectFrom('rows').selectAll().stream()[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toThrow(
      'Read long results page by page: PostgreSQL cannot stream them here.',
    );
  });
});
