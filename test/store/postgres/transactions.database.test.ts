import { type Kysely, sql } from 'kysely';

import type { Database } from '../../../src/store/engine/schema';
import type { Engine } from '../../../src/store/engine/engine';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

describeOnPostgres('the connections to PostgreSQL', () => {
  const database = useDatabase('postgres');
  let engine: Engine;
  beforeEach(async () => {
    engine = database.engine({ poolSize: 1 });
    await engine.session(({ kysely }) => sql`create table rows (value integer primary key)`.execute(kysely));
  });

  const insert = async (kysely: Kysely<Database>, value: number): Promise<void> => {
    await sql`insert into rows values (${value})`.execute(kysely);
  };
  const stored = async (): Promise<readonly number[]> => {
    const { rows } = await sql<{ value: number }>`select value from rows order by value`.execute(
      engine.direct.kysely,
    );
    return rows.map(({ value }) => value);
  };
  /** The server's process at the other end of the pool's one connection. */
  const server = async (kysely = engine.direct.kysely): Promise<number> => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(kysely);
    return rows[0]?.pid ?? 0;
  };
  /** A statement that fails with a SQLSTATE, as if the server were gone; but the connection stays. */
  const failWith = (code: string, kysely: Kysely<Database>) =>
    sql.raw(`do $$ begin raise exception 'gone' using errcode = '${code}'; end $$`).execute(kysely);

  it('acknowledge no transaction that the server rolled back', async () => {
    const work = engine.write(async ({ kysely }) => {
      await insert(kysely, 1);
      await insert(kysely, 1).catch(() => 'kept to itself');
    });
    await expect(work).rejects.toMatchObject({ name: 'StoreError', trouble: 'failed' });
    expect(await stored()).toEqual([]);
    await engine.write(({ kysely }) => insert(kysely, 2));
    expect(await stored()).toEqual([2]);
  });

  it('are reused after a transaction whose work failed, with nothing left of it', async () => {
    const before = await server();
    const mistake = new Error('on purpose');
    const work = engine.write(async ({ kysely }) => {
      await insert(kysely, 1);
      throw mistake;
    });
    await expect(work).rejects.toBe(mistake);
    await engine.write(({ kysely }) => insert(kysely, 2));
    expect(await stored()).toEqual([2]);
    expect(await server()).toBe(before);
  });

  describe.each([
    ['08006', 'unavailable'],
    ['57P01', 'unavailable'],
    ['57P02', 'unavailable'],
    ['25006', 'read-only'],
  ])('are not reused after %s', (code, trouble) => {
    it('in a transaction', async () => {
      const before = await server();
      const work = engine.write(async ({ kysely }) => {
        await insert(kysely, 1);
        await failWith(code, kysely);
      });
      await expect(work).rejects.toMatchObject({ trouble });
      await engine.write(({ kysely }) => insert(kysely, 2));
      expect(await stored()).toEqual([2]);
      expect(await server()).not.toBe(before);
    });

    it('of a single statement', async () => {
      const before = await server();
      await expect(failWith(code, engine.direct.kysely)).rejects.toMatchObject({ trouble });
      expect(await server()).not.toBe(before);
    });
  });

  it.each(['40001', '40P01'])('are reused after %s', async (code) => {
    const before = await server();
    await expect(failWith(code, engine.direct.kysely)).rejects.toMatchObject({ trouble: 'failed' });
    expect(await server()).toBe(before);
  });

  it('are reused after a statement that was refused', async () => {
    const before = await server();
    await insert(engine.direct.kysely, 1);
    await expect(insert(engine.direct.kysely, 1)).rejects.toMatchObject({ trouble: 'conflict' });
    expect(await server()).toBe(before);
  });
});
