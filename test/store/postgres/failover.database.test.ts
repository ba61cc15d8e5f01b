// Two real servers, a primary and its standby, and a store that is given both.

import { type AddressInfo, createServer, type Server } from 'node:net';
import { once } from 'node:events';

import {
  CLOSED_PORT,
  type PostgresCluster,
  startPostgresCluster,
  writeSchool,
} from '../../../scripts/harness';
import { inspectStore, openStore, type Store, StoreError } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import { query } from '../../harness/postgres-databases';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { useFolder } from '../../harness/use-folder';
import { TcpProxy } from '../../harness/tcp-proxy';
import { describeOnPostgres } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

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

/** Acknowledges nothing that the standby does not have. */
async function makeSynchronous(primary: PostgresCluster): Promise<void> {
  await query(primary.url, "alter system set synchronous_standby_names = '*'");
  await query(primary.url, 'select pg_reload_conf()');
}

/** Makes a standby the primary, which waits for no standby of its own. */
async function promote(standby: PostgresCluster): Promise<void> {
  await query(standby.url, 'alter system reset synchronous_standby_names');
  await query(standby.url, 'select pg_reload_conf()');
  await query(standby.url, 'select pg_promote()');
}

const WRITERS = 4;
/** Messages that each store must have acknowledged before the servers change places, and after it. */
const MORE = 20;

describeOnPostgres('a store with a primary and its standby', () => {
  const folder = useFolder();
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  const opened: Store[] = [];
  let written = 0;
  /** Ids of the messages that were acknowledged, by recipient. */
  const sent = new Map<string, string>();
  const open = async (url: string): Promise<Store> => {
    const store = await openStore({ url, poolSize: 4 });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    primary = await start({});
    const store = await openStore({ url: primary.url });
    await store.importFolder(writeSchool(`${folder}/csv`, SMALL_SCHOOL));
    await store.close();
    standby = await start({ standbyOf: primary });
    await makeSynchronous(primary);
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
      // Reads, and so sees when the other side ends a connection.
      silent = createServer((socket) => socket.resume());
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      silentPort = (silent.address() as { readonly port: number }).port;
    });
    afterAll(() => silent.close());

    it('the primary after a standby, a refused address and a silent one', async () => {
      const refused = { port: CLOSED_PORT };
      for (const others of [[refused, primary], [{ port: silentPort }, primary], [primary]]) {
        const url = urlOf([standby, ...others]);
        const store = await open(url);
        const recipient = (written += 1);
        sent.set(String(recipient), await store.messages.enqueue(message(recipient)));
        await expect(store.ping()).resolves.toBeUndefined();
        expect((await inspectStore({ url })).engine).toMatch(
          new RegExp(`^PostgreSQL [\\d.]+ .*on 127\\.0\\.0\\.1:${String(primary.port)}$`),
        );
      }
    });

    it('the primary after a server that is starting (57P03)', async () => {
      const fields = 'SFATAL\0C57P03\0Mthe database system is starting up\0\0';
      const answer = Buffer.from(`E\0\0\0\0${fields}`);
      answer.writeInt32BE(fields.length + 4, 1);
      const starting = createServer((socket) => socket.once('data', () => socket.end(answer)));
      await once(starting.listen(0, '127.0.0.1'), 'listening');
      try {
        const { port } = starting.address() as AddressInfo;
        const store = await open(
          urlOf([{ ...primary, port }, primary]).replace(/:\d+,/, `:${String(port)},`),
        );
        await expect(store.ping()).resolves.toBeUndefined();
        await expect(
          inspectStore({ url: urlOf([primary]).replace(/:\d+\//, `:${String(port)}/`) }),
        ).rejects.toThrow('PostgreSQL is starting, stopping or recovering.');
      } finally {
        starting.close();
      }
    });

    it('the standby only if any server will do, or if it is the only one', async () => {
      const url = urlOf([standby, primary], '?target_session_attrs=any');
      const engine = openEngine({ url });
      await expect(engine.ping()).rejects.toMatchObject({ trouble: 'read-only' });
      await engine.close();
      const alone = openEngine({ url: standby.url });
      await expect(alone.ping()).rejects.toMatchObject({ trouble: 'read-only' });
      await alone.close();
    });

    it('no unusable server, and names each with the reason', async () => {
      const url = urlOf(
        [standby, { port: CLOSED_PORT }, { port: silentPort }],
        '?target_session_attrs=primary',
      );
      const password = new URL(standby.url).password;
      const failure = await openStore({ url }).catch((error: unknown) => String(error));
      expect(failure).toBe(
        `StoreError: No PostgreSQL server can be used. 127.0.0.1:${String(standby.port)}: PostgreSQL is a standby; ` +
          `127.0.0.1:${String(CLOSED_PORT)}: PostgreSQL does not respond (ECONNREFUSED); ` +
          `127.0.0.1:${String(silentPort)}: PostgreSQL does not respond. ` +
          `Database: postgres at 127.0.0.1:${String(standby.port)},127.0.0.1:${String(CLOSED_PORT)},127.0.0.1:${String(silentPort)}`,
      );
      expect(failure).not.toContain(password);
    });
  });

  /** Makes a standby of the primary where the other server was, whose files are deleted. */
  async function rejoin(gone: PostgresCluster, master: PostgresCluster): Promise<PostgresCluster> {
    gone.stop();
    const joined = await start({ standbyOf: master, port: gone.port });
    await makeSynchronous(master);
    return joined;
  }

  /**
   * Writes messages with each store, while `act` makes the other server the primary and after it.
   *
   * @param act - gets a function that waits until each writer has failed once more
   * @returns the failures of the stores
   */
  async function underLoad(
    stores: readonly Store[],
    act: (untilAllFail: () => Promise<void>) => Promise<void>,
  ): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    const failing = new Set<symbol>();
    const acknowledged = stores.map(() => 0);
    let isOver = false;
    let onNext: () => void = () => undefined;
    const write = async (store: Store, at: number): Promise<void> => {
      const writer = Symbol('writer');
      while (!isOver && opened.includes(store)) {
        const recipient = (written += 1);
        try {
          // Alone, and in a transaction.
          const id = await (recipient % 2 === 0
            ? store.messages.enqueue(message(recipient))
            : store.write(({ messages }) => messages.enqueue(message(recipient))));
          sent.set(String(recipient), id);
          acknowledged[at] = (acknowledged[at] ?? 0) + 1;
        } catch (error) {
          failures.push(error);
          failing.add(writer);
          await new Promise(setImmediate);
        }
        onNext();
      }
    };
    const until = async (isReached: () => boolean): Promise<void> => {
      while (!isReached()) await new Promise<void>((resolve) => (onNext = resolve));
    };
    const enough = (): Promise<void> => {
      const wanted = acknowledged.map((count) => count + MORE);
      return until(() => acknowledged.every((count, at) => count >= (wanted[at] ?? 0)));
    };
    const untilAllFail = (): Promise<void> => {
      failing.clear();
      return until(() => failing.size === work.length);
    };
    const work = stores.flatMap((store, at) => Array.from({ length: WRITERS }, () => write(store, at)));
    try {
      await enough();
      await act(untilAllFail);
      await enough();
    } finally {
      isOver = true;
      await Promise.all(work);
    }
    return failures;
  }

  /** Every acknowledged message is in the store, once; it reads from the server that the others write to. */
  async function expectAllIn(store: Store): Promise<void> {
    const stored = await listMessages(store, 100_000);
    const ids = new Map(stored.map(({ id, recipient }) => [recipient, id]));
    expect([...sent].filter(([recipient, id]) => ids.get(recipient) !== id)).toEqual([]);
    expect(ids.size).toBe(stored.length);
  }

  const troubles = (failures: readonly unknown[]): readonly unknown[] => [
    ...new Set(failures.map((error) => (error instanceof StoreError ? error.trouble : error))),
  ];

  it('keeps its connections while they work', async () => {
    const store = await open(urlOf([primary, standby]));
    const connections = async (): Promise<readonly unknown[]> => {
      await store.devices.tokenOf('D1');
      const all = "select pid from pg_stat_activity where application_name = 'student-notification-service'";
      return (await query(primary.url, all)).rows.map(({ pid }) => pid);
    };
    const first = await connections();
    for (const pid of await connections()) expect(first).toContain(pid);
  });

  it('switches to the promoted standby when the primary is killed, as does the listener', async () => {
    const stores = [await open(urlOf([primary, standby])), await open(urlOf([standby, primary]))] as const;
    let hear: (topic: string) => void = () => undefined;
    const end = stores[1].listen((topic) => {
      hear(topic);
    });
    const failures = await underLoad(stores, async () => {
      await primary.end('SIGKILL');
      await promote(standby);
    });
    expect(troubles(failures)).toEqual(['unavailable']);
    for (const store of stores) await expectAllIn(store);
    const heard = new Promise((resolve) => (hear = resolve));
    const again = setInterval(() => {
      stores[0].announce('sms');
    }, 20);
    await expect(heard).resolves.toBe('sms');
    clearInterval(again);
    await end();
    [primary, standby] = [standby, await rejoin(primary, standby)];
  });

  it('switches over in a planned switch-over, and back', async () => {
    for (const url of [urlOf([standby, primary]), urlOf([primary, standby])]) {
      const store = await open(url);
      const failures = await underLoad([store], async () => {
        await primary.end('SIGINT');
        await promote(standby);
      });
      expect(troubles(failures)).toEqual(['unavailable']);
      await expectAllIn(store);
      [primary, standby] = [standby, await rejoin(primary, standby)];
    }
  });

  it('leaves a former primary that still answers but is read-only, even behind one address', async () => {
    const proxy = new TcpProxy([{ host: '127.0.0.1', port: primary.port }]);
    await proxy.open();
    const behind = primary.url.replace(`:${String(primary.port)}/`, `:${String(proxy.port)}/`);
    const stores = [await open(urlOf([primary, standby])), await open(behind)];
    try {
      // Idle connections of all pools lead to the former primary.
      for (const store of stores) await expect(store.devices.tokenOf('D1')).resolves.toBe('token-1');
      const failures = await underLoad(stores, async (untilAllFail) => {
        await query(primary.url, 'alter system set default_transaction_read_only = on');
        await query(primary.url, 'select pg_reload_conf()');
        // A write begun before would wait for the standby, which leaves now, until its statement times out.
        await untilAllFail();
        await promote(standby);
        proxy.aim([{ host: '127.0.0.1', port: standby.port }]);
      });
      expect(troubles(failures)).toEqual(['read-only']);
      await stores[0]?.write((tx) => tx.devices.invalidateToken('D1', 'token-1'));
      for (const store of stores) {
        await expect(store.devices.tokenOf('D1')).resolves.toBe('');
        await expectAllIn(store);
        await expect(store.ping()).resolves.toBeUndefined();
      }
    } finally {
      for (const store of opened.splice(0)) await store.close();
      await proxy.cut();
    }
  });

  it('reads from the new primary after a ping found the old one read-only', async () => {
    // The server that was demoted above is read-only, and the one that was promoted is not.
    const proxy = new TcpProxy([{ host: '127.0.0.1', port: primary.port }]);
    await proxy.open();
    const store = await open(
      urlOf([
        { url: primary.url.replace(/@.*/, `@127.0.0.1:${String(proxy.port)}/postgres`), port: proxy.port },
      ]),
    );
    try {
      await expect(store.ping()).rejects.toMatchObject({ trouble: 'read-only' });
      proxy.aim([{ host: '127.0.0.1', port: standby.port }]);
      await expect(store.ping()).resolves.toBeUndefined();
      await expectAllIn(store);
    } finally {
      for (const each of opened.splice(0)) await each.close();
      await proxy.cut();
    }
  });
});
