// Two real servers: a standby is promoted, and the former primary goes on, or comes back, as a primary.

import { readFileSync, writeFileSync } from 'node:fs';

import { get, type PostgresCluster, startPostgresCluster } from '../../../scripts/harness';
import { inspectStore, openStore, type Store, type StoreEvent } from '../../../src/store';
import { query } from '../../harness/postgres-databases';
import { describeOnPostgres } from '../../harness/test-databases';
import { runCommand } from '../../harness/run-command';
import { useFolder } from '../../harness/use-folder';
import { useServicesHere } from '../../service/use-services-here';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-02T10:00:00Z');

async function start(options: Parameters<typeof startPostgresCluster>[0]): Promise<PostgresCluster> {
  const cluster = await startPostgresCluster({ durable: false, ...options });
  if (cluster === undefined) throw new Error('There is a test server elsewhere, and none to start here.');
  return cluster;
}

const address = ({ port }: PostgresCluster): string => `127.0.0.1:${String(port)}`;

/** URL of servers, which share the password of the first. */
function urlOf(servers: readonly PostgresCluster[], user = 'postgres'): string {
  const password = new URL(servers[0]?.url ?? '').password;
  return `postgres://${user}:${password}@${servers.map(address).join(',')}/postgres`;
}

/** Recipients of the messages on a server, in order. */
async function recipients({ url }: PostgresCluster): Promise<readonly string[]> {
  const { rows } = await query(url, 'select recipient from messages order by created_at, recipient');
  return rows.map(({ recipient }) => String(recipient));
}

describeOnPostgres('with two primaries', () => {
  const folder = useFolder();
  const services = useServicesHere();
  let former: PostgresCluster;
  let primary: PostgresCluster;
  const opened: Store[] = [];
  /** End the listeners. */
  const ends: (() => Promise<void>)[] = [];
  let written = 0;
  const open = async (url: string, file?: string, onEvent?: (event: StoreEvent) => void): Promise<Store> => {
    const store = await openStore({
      ...{ url, poolSize: 4 },
      ...(file !== undefined && { timelinesFile: { path: file, isWritten: true } }),
      ...(onEvent !== undefined && { onEvent }),
    });
    opened.push(store);
    return store;
  };
  /** Writes a message. @returns its recipient */
  const write = async (store: Store): Promise<string> => {
    const recipient = String((written += 1)).padStart(6, '0');
    await store.messages.enqueue({
      ...{ channel: 'push' as const, recipient, school: '', payload: {}, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + HOUR },
    });
    return recipient;
  };
  const timelines = (): string => `${folder}/timelines.json`;
  const remembered = (): readonly unknown[] =>
    Object.values(JSON.parse(readFileSync(timelines(), 'utf8')) as Record<string, unknown>);

  beforeAll(async () => {
    former = await start({});
    const password = new URL(former.url).password;
    await query(former.url, `create role plain login password '${password}'`);
    const store = await openStore({ url: former.url });
    await store.close();
    await query(former.url, 'grant all on all tables in schema public to plain');
    await query(former.url, 'grant all on schema public to plain');
    await query(former.url, 'revoke execute on function pg_control_system() from public');
    primary = await start({ standbyOf: former });
  });
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
    for (const store of opened.splice(0)) await store.close();
  };
  afterEach(close);
  afterAll(() => {
    former.stop();
    primary.stop();
  });

  it('a running node leaves the former one, and writes nothing more to it', async () => {
    let second: (other: unknown) => void = () => undefined;
    const named = new Promise((resolve) => (second = resolve));
    const store = await open(urlOf([former, primary]), timelines(), ({ fields }) => {
      if (fields['other'] !== undefined) second(fields['other']);
    });
    // It listens, too.
    ends.push(store.listen(() => undefined));
    await write(store);
    expect(remembered()).toEqual([1]);
    expect(store.secondPrimaries).toEqual([]);

    await query(primary.url, 'select pg_promote()');
    await expect(named).resolves.toBe(address(former));
    const before = await recipients(former);
    let failures = 0;
    const later: string[] = [];
    while (later.length < 20) {
      const recipient = await write(store).catch(() => undefined);
      if (recipient === undefined) failures += 1;
      else later.push(recipient);
    }
    // At most those that a cut connection had taken.
    expect(failures).toBeLessThan(5);
    expect(await recipients(former)).toEqual(before);
    expect(await recipients(primary)).toEqual(expect.arrayContaining(later));
    expect(store.secondPrimaries).toEqual([address(former)]);
    expect(remembered()).toEqual([2]);
    const connections =
      "select 1 from pg_stat_activity where application_name = 'student-notification-service'";
    await close();
    expect((await query(former.url, connections)).rowCount).toBe(0);
  });

  it.each(['postgres', 'plain'])(
    'a restarted node of the user %s uses the one with the higher timeline',
    async (user) => {
      await former.end('SIGKILL');
      await former.restart();
      const before = await recipients(former);
      for (const servers of [
        [former, primary],
        [primary, former],
      ]) {
        // Another node remembers nothing.
        const store = await open(urlOf(servers, user));
        const recipient = await write(store);
        expect(await recipients(primary)).toContain(recipient);
        expect(store.secondPrimaries).toEqual([address(former)]);
        const { engine, secondPrimaries } = await inspectStore({ url: urlOf(servers, user) });
        expect(engine).toContain(`on ${address(primary)}`);
        expect(secondPrimaries).toEqual([address(former)]);
      }
      expect(await recipients(former)).toEqual(before);
    },
  );

  it('a service that is restarted stores codes in the right one, and names the other', async () => {
    const before = await recipients(former);
    for (const [at, servers] of [
      [former, primary],
      [primary, former],
    ].entries()) {
      const DATABASE_URL = urlOf(servers);
      const service = await services.start({
        settings: { DATABASE_URL, SAMPLE_DATA: 'false', DEFAULT_COUNTRY: 'TR' },
      });
      const phone = `+9053211100${String(at)}0`;
      const answer = await service.ask(
        get('AuthCodeSending', 'AuthCode', new URLSearchParams({ code: '123456', phone }).toString()),
      );
      expect(answer.status).toBe(200);
      expect(await recipients(primary)).toContain(phone);
      const readiness = async (): Promise<unknown> =>
        JSON.parse((await service.ask({ path: '/readyz' })).text);
      // The first look at the rules ends at its own time.
      while (JSON.stringify(await readiness()) === '{"status":"ready"}') continue;
      expect(await readiness()).toMatchObject({
        alerts: expect.arrayContaining(['TwoPrimaries']) as unknown,
      });
      const { text } = await service.askAdmin({ path: '/metrics' });
      expect(text).toContain(`service_second_primary{server="${address(former)}"} 1\n`);

      const settings = { DATABASE_URL, DATA_DIR: `${services.folder}/data` };
      const { code, out } = await runCommand('check', [], { folder: services.folder, settings });
      expect(code).toBe(2);
      expect(out).toContain(
        `Error: The PostgreSQL server ${address(former)} accepts writes beside the primary. Stop it and make it a standby, see “Two primaries” in docs/several-nodes.md.`,
      );
      await service.stop();
    }
    expect(await recipients(former)).toEqual(before);
  });

  it('a service that reaches only the former one does not start', async () => {
    await primary.end('SIGINT');
    const before = await recipients(former);
    try {
      await expect(services.start({ settings: { DATABASE_URL: urlOf([former, primary]) } })).rejects.toThrow(
        /its timeline is 1, the primary’s is 2\..* delete .*data\/postgres-timelines\.json and restart/,
      );
      expect(await recipients(former)).toEqual(before);
    } finally {
      await primary.restart();
    }
  });

  it('a node that remembers refuses the former one if it reaches no other', async () => {
    await primary.end('SIGINT');
    try {
      const before = await recipients(former);
      const timelinesFile = { path: timelines(), isWritten: false };
      for (const servers of [[former, primary], [primary, former], [former]]) {
        const url = urlOf(servers);
        const refusal = `PostgreSQL is a former primary: its timeline is 1, the primary’s is 2. Stop it and start the primary, see “Two primaries” in docs/several-nodes.md. If you restored it from an older copy, delete ${timelines()} and restart`;
        await expect(openStore({ url, timelinesFile })).rejects.toThrow(refusal);
        await expect(inspectStore({ url, timelinesFile })).rejects.toMatchObject({
          trouble: servers.length === 1 ? 'read-only' : 'unavailable',
        });
      }
      expect(await recipients(former)).toEqual(before);
    } finally {
      await primary.restart();
    }
  });

  it('a node uses the former one again once its memory is deleted', async () => {
    const file = `${folder}/deleted.json`;
    writeFileSync(file, '{}\n');
    await expect(write(await open(urlOf([former]), file))).resolves.toBeDefined();
  });

  it('a node uses a new cluster, and two addresses of one server', async () => {
    const restored = await start({});
    try {
      const url = urlOf([restored]);
      await expect(write(await open(url, timelines()))).resolves.toBeDefined();
      expect(remembered()).toEqual(expect.arrayContaining([1, 2]));
      const twice = await open(
        url.replace(/.postgres$/, `,localhost:${String(restored.port)}/postgres`),
        timelines(),
      );
      await write(twice);
      expect(twice.secondPrimaries).toEqual([]);
    } finally {
      await close();
      restored.stop();
    }
  });
});
