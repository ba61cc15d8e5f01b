import { openStore, type Store } from '../../../src/store';
import { writeSchool } from '../../../scripts/harness';
import { hasPooler, startPooler as startPoolerBefore } from '../../harness/pooler';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

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

    const claim = ({ outbox }: Store) =>
      outbox.claim({ channel: 'sms', owner: 'w', limit: 1, now: 1, leaseUntil: 2 });

    it('passes everything that the service sends in session mode', async () => {
      const url = await startPooler(['pool_mode = session', 'ignore_startup_parameters = statement_timeout']);
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

    it('is reported as misconfigured in transaction mode', async () => {
      const settings = ['pool_mode = transaction', 'default_pool_size = 1'];
      const url = await startPooler([...settings, 'ignore_startup_parameters = statement_timeout']);
      const [store, other] = [await openStore({ url }), await openStore({ url })];
      try {
        await claim(store);
        await expect(claim(other)).rejects.toMatchObject({
          trouble: 'unavailable',
          message: expect.stringContaining('Set its pool_mode to session') as string,
        });
      } finally {
        await Promise.all([store.close(), other.close()]);
      }
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
