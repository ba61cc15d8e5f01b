// Two real servers, a primary and its standby, and a store that is given both.

import { createServer, type Server } from 'node:net';
import { once } from 'node:events';

import { freePort, type PostgresCluster, startPostgresCluster } from '../../../scripts/harness';
import { inspectStore, openStore, type Store } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import { query } from '../../harness/postgres-databases';
import { describeOnPostgres } from '../../harness/test-databases';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-02T10:00:00Z');

const message = (at: number) => ({
  ...{ channel: 'push' as const, recipient: String(at), school: '', payload: {}, dedupeKey: null },
  ...{ createdAt: START, expiresAt: START + HOUR },
});

async function start(options: Parameters<typeof startPostgresCluster>[0]): Promise<PostgresCluster> {
  const cluster = await startPostgresCluster({ durable: false, ...options });
  if (cluster === undefined) throw new Error('There is a test server elsewhere, and none to start here.');
  return cluster;
}

/** URL of several servers, which share the first one's password. */
const urlOf = (
  [first, ...others]: readonly { readonly url?: string; readonly port: number }[],
  more = '',
): string =>
  `${(first?.url ?? '').replace(/\/postgres$/, '')}${others.map(({ port }) => `,127.0.0.1:${String(port)}`).join('')}/postgres${more}`;

describeOnPostgres('a store that is given a primary and its standby', () => {
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  const opened: Store[] = [];
  const open = async (url: string): Promise<Store> => {
    const store = await openStore({ url, poolSize: 4 });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    primary = await start({});
    await (await openStore({ url: primary.url })).close();
    standby = await start({ standbyOf: primary });
    await query(primary.url, "alter system set synchronous_standby_names = '*'");
    await query(primary.url, 'select pg_reload_conf()');
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => {
    primary.stop();
    standby.stop();
  });

  describe('opens', () => {
    let silent: Server;
    let silentPort = 0;
    beforeAll(async () => {
      silent = createServer();
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      silentPort = (silent.address() as { readonly port: number }).port;
    });
    afterAll(() => silent.close());

    it('the primary after a standby, a refused address and a silent one', async () => {
      const refused = { port: await freePort() };
      for (const others of [[refused, primary], [{ port: silentPort }, primary], [primary]]) {
        const url = urlOf([standby, ...others]);
        const store = await open(url);
        await store.messages.enqueue(message(1));
        await expect(store.ping()).resolves.toBeUndefined();
        expect((await inspectStore({ url })).engine).toMatch(
          new RegExp(`^PostgreSQL [\\d.]+ .*on 127\\.0\\.0\\.1:${String(primary.port)}$`),
        );
      }
    });

    it('the standby only where any server will do, or none but it is given', async () => {
      const url = urlOf([standby, primary], '?target_session_attrs=any');
      const engine = openEngine({ url });
      await expect(engine.ping()).rejects.toMatchObject({ trouble: 'read-only' });
      await engine.close();
      const alone = openEngine({ url: standby.url });
      await expect(alone.ping()).rejects.toMatchObject({ trouble: 'read-only' });
      await alone.close();
    });

    it('none of those that cannot be used, and names each with its reason', async () => {
      const refused = await freePort();
      const url = urlOf([standby, { port: refused }, { port: silentPort }], '?target_session_attrs=primary');
      const password = new URL(standby.url).password;
      const failure = await openStore({ url }).catch((error: unknown) => String(error));
      expect(failure).toBe(
        `StoreError: No PostgreSQL server can be used. 127.0.0.1:${String(standby.port)}: PostgreSQL is a standby; ` +
          `127.0.0.1:${String(refused)}: PostgreSQL does not respond (ECONNREFUSED); ` +
          `127.0.0.1:${String(silentPort)}: PostgreSQL does not respond. ` +
          `Database: postgres at 127.0.0.1:${String(standby.port)},127.0.0.1:${String(refused)},127.0.0.1:${String(silentPort)}`,
      );
      expect(failure).not.toContain(password);
    });
  });
});
