import { join } from 'node:path';

import { sql } from 'kysely';
import { Client, type ClientBase } from 'pg';

import { openStore, type Store } from '../../../src/store';
import { Sharing } from '../../../src/store/postgres/pooler';
import { aloneOnPostgres } from '../../../src/store/postgres/postgres-engine';
import { writeSchool } from '../../../scripts/harness';
import { hasPooler, startPooler as startPoolerBefore } from '../../harness/pooler';
import { query } from '../../harness/postgres-databases';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const isInstalled = hasPooler();
const TITLE = 'PgBouncer in front of PostgreSQL';

(isInstalled ? describeOnPostgres : describe.skip)(
  isInstalled ? TITLE : `${TITLE} (skipped: no PgBouncer)`,
  () => {
    const database = useDatabase('postgres', { per: 'block' });
    const stops: (() => void)[] = [];
    afterEach(() => {
      for (const stop of stops.splice(0)) stop();
    });

    /** @returns the URL of the database behind it */
    async function startPooler(settings: readonly string[]): Promise<string> {
      const { url, stop } = await startPoolerBefore(database.url, settings);
      stops.push(stop);
      return url;
    }

    const IGNORED = 'ignore_startup_parameters = statement_timeout';
    const claim = ({ outbox }: Store) =>
      outbox.claim({ channel: 'sms', owner: 'w', limit: 1, now: 1, leaseUntil: 2 });

    it('passes everything that the service sends in session mode', async () => {
      const url = await startPooler(['pool_mode = session', IGNORED]);
      const [store, other] = [await openStore({ url }), await openStore({ url })];
      try {
        await Promise.all([claim(store), claim(other), store.ping()]);
        let end: (() => Promise<void>) | undefined;
        const heard = new Promise((resolve) => (end = other.listen(resolve)));
        // A notification has no receiver until the listener is connected.
        const again = setInterval(() => {
          store.announce('push');
        }, 20);
        await expect(heard).resolves.toBe('push');
        clearInterval(again);
        await end?.();
        await store.importFolder(writeSchool(database.folder, { schools: ['http://a,A'] }));
      } finally {
        await Promise.all([store.close(), other.close()]);
      }
    });

    describe('in transaction mode', () => {
      const settings = ['pool_mode = transaction', 'default_pool_size = 2', 'min_pool_size = 2', IGNORED];
      let url: string;
      let store: Store;
      beforeEach(async () => {
        url = await startPooler(settings);
        store = await openStore({ url });
      });
      afterEach(async () => {
        await store.close();
      });

      it('runs the statements of two stores over the same connections', async () => {
        const other = await openStore({ url });
        try {
          const all = [store, other, store, other, store, other];
          const claims = all.map((each) =>
            Promise.all([claim(each), each.write((tx) => tx.lock('a')), each.ping()]),
          );
          await expect(Promise.all(claims)).resolves.toHaveLength(all.length);
        } finally {
          await other.close();
        }
      });

      it('imports, replaces and exports while others use its connections', async () => {
        const state = { isOver: false };
        const others = (async () => {
          while (!state.isOver) await claim(store);
        })();
        const school = { schools: ['http://a,A'], classes: ['http://a,1,One'] };
        const import_ = (students: readonly string[]) =>
          store.importFolder(writeSchool(database.folder, { ...school, students }), {
            replace: 'even large parts',
          });
        try {
          await import_(['http://a,S1,Ann,Y,1', 'http://a,S2,Bob,Y,1']);
          expect((await import_(['http://a,S1,Ann,Y,1'])).removals).toEqual([
            { file: 'students.csv', rows: 1, of: 2 },
          ]);
          const { files } = await store.exportFolder(join(database.folder, 'export'));
          expect(files).toContainEqual({ file: 'students.csv', rows: 1 });
        } finally {
          state.isOver = true;
          await others;
        }
      });

      it('imports although a temporary table of another import is left', async () => {
        const only = await startPooler([...settings, 'max_db_connections = 1']);
        const behind = await openStore({ url: only });
        try {
          await query(only, 'create temporary table staged_schools (id text)');
          const folder = writeSchool(database.folder, { schools: ['http://a,A'] });
          await expect(behind.importFolder(folder)).resolves.toMatchObject({ problemCount: 0 });
        } finally {
          await behind.close();
        }
      });

      it('leaves a session its connection after a transaction that is rolled back', async () => {
        await aloneOnPostgres(url, async ({ kysely }) => {
          const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(kysely);
          const undone = kysely.transaction().execute(() => Promise.reject(new Error('on purpose')));
          await expect(undone).rejects.toThrow('on purpose');
          const states = await query(
            database.url,
            `select state from pg_stat_activity where pid = ${String(rows[0]?.pid)}`,
          );
          expect(states.rows).toEqual([{ state: 'idle in transaction' }]);
        });
      });

      it('keeps what a session writes outside of transactions', async () => {
        await aloneOnPostgres(url, ({ kysely }) => sql`create table kept (id text)`.execute(kysely));
        await expect(query(database.url, 'drop table kept')).resolves.toBeDefined();
      });

      it('keeps the store out while its database is moved, and leaves no lock behind', async () => {
        const locks = async (): Promise<number | null> =>
          (
            await query(
              database.url,
              `select 1 from pg_locks join pg_database as d on d.oid = database
                where locktype = 'advisory' and datname = current_database()`,
            )
          ).rowCount;
        await claim(store);
        expect(await locks()).toBe(0);
        await aloneOnPostgres(url, async () => {
          expect(await locks()).toBe(1);
          await expect(openStore({ url })).rejects.toMatchObject({ trouble: 'locked' });
        });
        await claim(store);
        expect(await locks()).toBe(0);
      });
    });

    it.each(['session', 'transaction'])('ends statements that wait for too long in %s mode', async (mode) => {
      const url = await startPooler([`pool_mode = ${mode}`, IGNORED]);
      const limited = await openStore({ url, statementTimeoutMs: 500 });
      const locker = new Client(database.url);
      await locker.connect();
      const waiting = async (): Promise<readonly string[]> =>
        (
          await locker.query<{ readonly query: string }>(
            `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rows.map((row) => row.query);
      try {
        await limited.ping();
        await locker.query('begin; lock table messages, students, devices');
        const calls = Promise.allSettled([
          limited.devices.tokenOf('D1'),
          claim(limited),
          listMessages(limited, 1),
        ]);
        while ((await waiting()).length === 0);
        for (const call of await calls)
          expect(call).toMatchObject({ status: 'rejected', reason: { trouble: 'timeout' } });
        // The table is still locked: they were ended.
        while ((await waiting()).length > 0);
        await locker.query('rollback');
        await expect(claim(limited)).resolves.toEqual([]);
      } finally {
        await locker.end();
        await limited.close();
      }
    });

    it('is examined again once connections to it were lost', async () => {
      const config = { connectionString: await startPooler(['pool_mode = session']) };
      const sharing = new Sharing();
      let pid = 0;
      // Its statements meet one process of the server, or another one each.
      const client = (isShared: boolean) =>
        ({
          query: () => Promise.resolve({ rows: [{ pid: isShared ? (pid += 1) : pid }] }),
        }) as unknown as ClientBase; // All that is asked of it.
      expect(await sharing.examine(client(false), config)).toBe(false);
      expect(await sharing.examine(client(true), config)).toBe(false);
      sharing.reset();
      expect([await sharing.examine(client(true), config), sharing.isShared]).toEqual([true, true]);
    });

    it('is reported as misconfigured if it rejects a startup parameter of the service', async () => {
      const store = await openStore({ url: await startPooler(['pool_mode = session']) });
      try {
        await expect(store.ping()).rejects.toMatchObject({
          trouble: 'unavailable',
          message: expect.stringContaining(
            'Add statement_timeout to its ignore_startup_parameters',
          ) as string,
        });
      } finally {
        await store.close();
      }
    });
  },
);
