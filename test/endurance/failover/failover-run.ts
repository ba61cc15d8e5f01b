import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { type PostgresCluster, ServiceProcess, startPostgresCluster } from '../../../scripts/harness';
import {
  FakeProvider,
  loadOneClass,
  ProviderLog,
  providerSettings,
  writeRoute,
} from '../../../scripts/harness/delivery';
import { query } from '../../harness/postgres-databases';
import { Clients, CLIENTS, SCHOOL } from '../crash/crash-run';

export interface FailoverOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly rounds: number;
  /** Acknowledges nothing that the standby does not have. */
  readonly synchronous: boolean;
}

export interface FailoverReport {
  /** Calls that were answered with success. */
  readonly acknowledged: number;
  /** Messages that those calls stand for. */
  readonly messages: number;
  /** Of these, how many never reached the provider. */
  readonly lost: number;
  /** Seconds between two messages that the provider had twice, the shortest first. */
  readonly repeatedAfter: readonly number[];
  readonly rounds: readonly Round[];
}

export interface Round {
  readonly name: string;
  /** Seconds from the event until each client had another call acknowledged. */
  readonly calls: number;
  /** Seconds from the event until both nodes are ready. */
  readonly ready: number;
}

const NODES = 2;
export const LEASE_SECONDS = 6;
const SETTLE_MS = 40_000;
const LOCK_SECONDS = 8;
const BEHIND_SECONDS = 2;
const POLL_MS = 50;

/** A primary and its standby. */
interface Pair {
  primary: PostgresCluster;
  standby: PostgresCluster;
}

/** Two nodes under load on a primary with a standby, which change places in several ways. */
export async function runFailovers({
  folder,
  rounds,
  synchronous,
}: FailoverOptions): Promise<FailoverReport> {
  const primary = await start();
  await loadOneClass(primary.url, folder, SCHOOL);
  const pair: Pair = { primary, standby: await start(primary) };
  if (synchronous) await makeSynchronous(pair.primary);
  const provider = await new FakeProvider().start();
  const log = new ProviderLog(provider);
  const nodes = Array.from({ length: NODES }, (_, at) => beginNode(folder, at, urlOf(pair), provider.url));
  const clients = new Clients(nodes);
  const report: Round[] = [];
  try {
    await Promise.all(nodes.map((node) => node.listening()));
    const work = clients.run();
    for (let round = 0; round < rounds; round += 1) {
      const [name, act] = EVENTS[round % EVENTS.length] ?? EVENTS[0];
      await clients.acknowledges(CLIENTS * 4);
      const start = performance.now();
      const since = (): number => (performance.now() - start) / 1000;
      const after = await act(pair);
      const calls = clients.acknowledges(CLIENTS).then(since);
      const ready = Promise.all(nodes.map((node) => isReady(node.port))).then(since);
      report.push({ name, calls: await calls, ready: await ready });
      await after();
      if (synchronous) await makeSynchronous(pair.primary);
    }
    clients.stop();
    await work;
    await log.arrived(clients.expected, SETTLE_MS);
    for (const node of nodes) await node.stop();
  } finally {
    clients.stop();
    for (const node of nodes) node.signal('SIGKILL');
    await Promise.all(nodes.map((node) => node.ended()));
    await provider.stop();
    for (const server of [pair.primary, pair.standby]) server.stop();
  }
  const repeatedAfter = [...log.receipts.values()].flatMap((receipts) =>
    receipts.slice(1).map(({ at }, before) => (at - (receipts[before]?.at ?? 0)) / 1000),
  );
  return {
    acknowledged: clients.acknowledged,
    messages: clients.expected.length,
    lost: clients.expected.filter((key) => !log.receipts.has(key)).length,
    repeatedAfter: repeatedAfter.toSorted((a, b) => a - b),
    rounds: report,
  };
}

/** Does something to the servers, and returns what restores a primary with a standby. */
type Event = (pair: Pair) => Promise<() => Promise<void>>;

const EVENTS: readonly [readonly [string, Event], ...(readonly [string, Event])[]] = [
  [
    'primary killed, standby promoted',
    async (pair) => {
      await pair.primary.end('SIGKILL');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  ],
  [
    `primary killed ${String(BEHIND_SECONDS)} s after it lost the standby`,
    async (pair) => {
      await query(pair.standby.url, "alter system set primary_conninfo = ''");
      await query(pair.standby.url, 'select pg_reload_conf()');
      await delay(BEHIND_SECONDS * 1000);
      await pair.primary.end('SIGKILL');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  ],
  [
    'switch-over in order',
    async (pair) => {
      await pair.primary.end('SIGINT');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  ],
  [
    'former primary stays reachable, read-only',
    async (pair) => {
      await query(pair.primary.url, 'alter system set default_transaction_read_only = on');
      await query(pair.primary.url, 'select pg_reload_conf()');
      await promote(pair.standby);
      return () => changePlaces(pair);
    },
  ],
  [
    'connections terminated ten times',
    async ({ primary }) => {
      for (let storm = 0; storm < 10; storm += 1) {
        await query(
          primary.url,
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'student-notification-service'",
        );
        await delay(POLL_MS);
      }
      return () => Promise.resolve();
    },
  ],
  [
    `table of messages locked for ${String(LOCK_SECONDS)} s`,
    async ({ primary }) => {
      await query(
        primary.url,
        `begin; lock table messages; select pg_sleep(${String(LOCK_SECONDS)}); commit`,
      );
      return () => Promise.resolve();
    },
  ],
];

async function start(standbyOf?: PostgresCluster, port?: number): Promise<PostgresCluster> {
  const cluster = await startPostgresCluster({
    ...(standbyOf !== undefined && { standbyOf }),
    ...(port !== undefined && { port }),
  });
  if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
  return cluster;
}

/** Makes the former primary the standby, with a new copy of the data. */
async function changePlaces(pair: Pair): Promise<void> {
  const { primary: former, standby: promoted } = pair;
  former.stop();
  pair.primary = promoted;
  pair.standby = await start(promoted, former.port);
}

async function makeSynchronous({ url }: PostgresCluster): Promise<void> {
  await query(url, "alter system set synchronous_standby_names = '*'");
  await query(url, 'select pg_reload_conf()');
}

async function promote({ url }: PostgresCluster): Promise<void> {
  await query(url, 'alter system reset synchronous_standby_names');
  await query(url, 'alter system reset default_transaction_read_only');
  await query(url, 'select pg_reload_conf()');
  await query(url, 'select pg_promote()');
}

function urlOf({ primary, standby }: Pair): string {
  return primary.url.replace(/\/postgres$/, `,127.0.0.1:${String(standby.port)}/postgres`);
}

function beginNode(folder: string, at: number, databaseUrl: string, provider: string): ServiceProcess {
  const own = join(folder, `node-${String(at)}`);
  mkdirSync(own, { recursive: true });
  return new ServiceProcess(own, {
    settings: {
      ...{ DATABASE_URL: databaseUrl, SAMPLE_DATA: 'false' },
      ...{ LEASE_SECONDS: String(LEASE_SECONDS), PROVIDER_TIMEOUT_SECONDS: String(LEASE_SECONDS - 1) },
      ...providerSettings(own, provider),
      GATEWAYS_FILE: writeRoute(own, { first: { url: `${provider}/sms/first` } }),
    },
  });
}

async function isReady(port: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${String(port)}/readyz`);
    await response.text();
    if (response.ok) return;
    await delay(POLL_MS);
  }
}
