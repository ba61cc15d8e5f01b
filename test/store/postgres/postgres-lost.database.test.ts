import { openStore, type Store, type StoreEvent } from '../../../src/store';
import { untilVisibleToAll } from '../../../src/store/queries/students-version';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { TcpProxy } from '../../harness/tcp-proxy';
import { administer } from '../../harness/postgres-databases';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

describeOnPostgres('a store whose PostgreSQL goes away', () => {
  const database = useDatabase('postgres');
  let events: StoreEvent[];
  let proxy: TcpProxy;
  let store: Store;

  beforeEach(async () => {
    const direct = await database.open();
    await direct.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));

    events = [];
    const url = new URL(database.url);
    proxy = new TcpProxy([{ host: url.hostname, port: Number(url.port) }]);
    await proxy.open();
    url.port = String(proxy.port);
    store = await openStore({ url: url.href, poolSize: 4, onEvent: (event) => events.push(event) });
  });
  afterEach(async () => {
    await store.close();
    await proxy.cut();
  });

  it('fails while it is gone, and recovers by itself when it is back', async () => {
    await expect(store.devices.tokenOf('D1')).resolves.toBe('token-1');
    await proxy.cut();
    await untilVisibleToAll('postgres');

    for (const attempt of [
      () => store.devices.tokenOf('D1'),
      () => store.students.ofSchool('http://a.example', 'Y'),
      () => store.exams.find('E1'),
      () => store.write((tx) => tx.devices.invalidateToken('D1', 'token-1')),
      () => store.exportFolder(`${database.folder}/export`),
      () => store.ping(),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ name: 'StoreError', trouble: 'unavailable' });
    }

    await proxy.open();
    await expect(store.ping()).resolves.toBeUndefined();
    await expect(store.devices.tokenOf('D1')).resolves.toBe('token-1');
    await expect(store.write((tx) => tx.devices.invalidateToken('D1', 'token-1'))).resolves.toBe(true);
  });

  it('fails the work under way, and keeps none of it', async () => {
    const work = store.write(async (tx) => {
      await tx.devices.invalidateToken('D1', 'token-1');
      await proxy.cut();
      return tx.devices.tokenOf('D1');
    });
    await expect(work).rejects.toMatchObject({ trouble: 'unavailable' });
    await proxy.open();
    await expect(store.devices.tokenOf('D1')).resolves.toBe('token-1');
  });

  it('reports a lost idle connection without its address or user', async () => {
    await store.ping();
    await administer(
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${new URL(database.url).pathname.slice(1)}'`,
    );
    await expect(eventually(() => events.length > 0)).resolves.toBeUndefined();
    expect(events[0]).toEqual({
      level: 'warn',
      message: 'lost an idle connection to PostgreSQL',
      fields: { trouble: 'unavailable' },
    });
    await expect(store.devices.tokenOf('D1')).resolves.toBe('token-1');
  });
});

describeOnPostgres('a read-only PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('fails the health check, although it answers', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await expect((await database.open()).ping()).resolves.toBeUndefined();
    await administer(`alter database ${name} set default_transaction_read_only = on`);
    const late = await openStore({ url: database.url, mustExist: true });
    await expect(late.devices.tokenOf('D1')).resolves.toBe('');
    await expect(late.ping()).rejects.toMatchObject({ name: 'StoreError', trouble: 'read-only' });
    await late.close();
  });
});

describeOnPostgres('a statement that takes PostgreSQL too long', () => {
  const database = useDatabase('postgres');

  it('fails, and the next one works', async () => {
    const store = await database.open({ statementTimeoutMs: 500 });
    const other = await database.open();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding: Promise<void> | undefined;
    await new Promise<void>((locked) => {
      holding = other.write(async (tx) => {
        await tx.lock('a');
        locked();
        await held;
      });
    });
    await expect(store.write((tx) => tx.lock('a'))).rejects.toMatchObject({ trouble: 'timeout' });
    release();
    await holding;
    await expect(store.write((tx) => tx.lock('a'))).resolves.toBeUndefined();
  });
});

/** Resolves when the condition holds; asked again at every turn of the event loop. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}
