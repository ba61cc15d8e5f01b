import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { Client } from 'pg';

import { openStore, type Store, StoreError } from '../../../src/store';
import { administer } from '../../harness/postgres-databases';
import { TcpProxy, type TcpTarget } from '../../harness/tcp-proxy';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

const PROBE_MS = 3000;
/** The server's limit would be noticed much later than its silence. */
const STATEMENT_TIMEOUT_MS = 600_000;

describeOnPostgres('a store whose server stops answering', () => {
  const database = useDatabase('postgres');
  let direct: TcpTarget;
  let proxy: TcpProxy;
  let store: Store;
  let connect: jest.SpyInstance;
  let test: { isRunning: boolean };

  beforeEach(async () => {
    const url = new URL(database.url);
    direct = { host: url.hostname, port: Number(url.port) };
    proxy = new TcpProxy([direct]);
    await proxy.open();
    // Probes begin when the tests say so, and take as long as they take.
    jest.useFakeTimers({
      doNotFake: [
        ...(['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
        ...(['queueMicrotask', 'performance', 'Date', 'hrtime'] as const),
      ],
    });
    store = await openStore({
      url: database.url.replace(`:${url.port}/`, `:${String(proxy.port)},127.0.0.1:${url.port}/`),
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    connect = jest.spyOn(Client.prototype, 'connect');
    test = { isRunning: true };
  });
  afterEach(async () => {
    test.isRunning = false;
    connect.mockRestore();
    jest.useRealTimers();
    await proxy.cut();
    await store.close();
  });

  /** Lets probes begin until something holds. */
  async function probe(isEnough: () => boolean, statement: () => Promise<unknown> = nextTurn): Promise<void> {
    const current = test;
    while (current.isRunning && !isEnough()) {
      jest.advanceTimersByTime(PROBE_MS);
      await statement();
    }
  }

  /** Returns a function that is true when one probe has ended and the next one begun. */
  function isProbed(): () => boolean {
    const before = connect.mock.calls.length;
    return () => connect.mock.calls.length >= before + 2;
  }

  /** Tries again while no server can be used: on a busy machine a good one may answer too late. */
  async function untilConnected(work: () => Promise<unknown>): Promise<void> {
    const current = test;
    while (current.isRunning) {
      try {
        await work();
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }

  /** Opens a connection of each of the two pools. */
  const connectAll = () =>
    untilConnected(() => Promise.all([store.ping(), store.write((tx) => tx.lock('b'))]));

  /** Runs work while a transaction waits for a lock, which is released then. */
  async function whileOneWaits(work: () => Promise<void>): Promise<string> {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query(`select pg_advisory_lock(hashtextextended('a', 0))`);
    const waiting = store.write(async (tx) => {
      await tx.lock('a');
      return 'done';
    });
    try {
      await Promise.race([work(), waiting]);
    } finally {
      await other.end();
    }
    return waiting;
  }

  it('fails the calls under way long before their timeout, and switches to the next server', async () => {
    await connectAll();
    proxy.stall();
    const state = { isOver: false };
    const calls = Promise.allSettled([store.devices.tokenOf('D1'), store.write((tx) => tx.lock('a'))]);
    void calls.then(() => (state.isOver = true));
    await nextTurn();
    // A new connection leads to the next server, whose answers say nothing of this one.
    const others = (async () => {
      while (!state.isOver) await untilConnected(() => store.ping());
    })();
    await probe(() => state.isOver);
    await others;
    const failure = { reason: { trouble: 'unavailable' } };
    expect(await calls).toMatchObject([failure, failure]);
    await connectAll();
  });

  it('keeps a statement that waits for a lock', async () => {
    await connectAll();
    await expect(whileOneWaits(() => probe(isProbed()))).resolves.toBe('done');
  });

  it('keeps its connections while the server refuses new ones', async () => {
    await connectAll();
    const name = new URL(database.url).pathname.slice(1);
    const work = async (): Promise<void> => {
      await administer(`alter database ${name} allow_connections false`);
      await probe(isProbed());
    };
    try {
      await expect(whileOneWaits(work)).resolves.toBe('done');
    } finally {
      await administer(`alter database ${name} allow_connections true`);
    }
  });

  describe('on new connections only', () => {
    let silent: Server;
    beforeEach(async () => {
      // Reads, and so sees when the other side ends a connection.
      silent = createServer((socket) => socket.resume());
      await once(silent.listen(0, '127.0.0.1'), 'listening');
    });
    afterEach(() => silent.close());

    it('keeps its connections, since statements are answered', async () => {
      await connectAll();
      const work = async (): Promise<void> => {
        const { port } = silent.address() as { readonly port: number };
        proxy.aim([{ host: '127.0.0.1', port }]);
        await probe(isProbed(), () => store.ping());
      };
      await expect(whileOneWaits(work)).resolves.toBe('done');
    });
  });
});
