import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ServiceProcess } from '../../../scripts/harness';
import {
  FakeProvider,
  loadOneClass,
  ProviderLog,
  providerSettings,
  writeRoute,
} from '../../../scripts/harness/delivery';
import { type Pooler, startPooler } from '../../harness/pooler';
import { Clients, CLIENTS, SCHOOL } from '../crash/crash-run';
import { GatewayReports, reportsOf } from '../crash/gateway-reports';
import { openDisk } from './disk';
import { EVENTS, type FailoverEvent, makeSynchronous, type Servers, startServer } from './events';
import { Operator, type OperatorReport } from './operator';

export interface FailoverOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly rounds: number;
  /** Acknowledges nothing that the standby does not have. */
  readonly synchronous: boolean;
  /** Settings of a PgBouncer before each server; undefined without one. */
  readonly pooler?: readonly string[];
}

export interface FailoverReport {
  /** Calls that were answered with success. */
  readonly acknowledged: number;
  /** Messages that those calls stand for, and those of the retries. */
  readonly messages: number;
  /** Counts those of them that never reached the provider. */
  readonly lost: number;
  /** Number of acknowledged receipts, and how many of them are missing. */
  readonly receipts: number;
  readonly receiptsLost: number;
  /** Seconds between two messages that the provider had twice, the shortest first. */
  readonly repeatedAfter: readonly number[];
  /** Counts what callers got that were not served. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly rounds: readonly Round[];
}

export interface Round {
  readonly event: FailoverEvent;
  /** Seconds from the event until each client had another call acknowledged. */
  readonly calls: number;
  /** Seconds from the event until both nodes are ready. */
  readonly ready: number;
  /** The longest that a call waited for its answer, in seconds. */
  readonly slowest: number;
  /** Calls that were not served. */
  readonly refused: number;
  /** True if the console of each node names the primary afterwards. */
  readonly isNamed: boolean;
  readonly operator: OperatorReport;
}

const NODES = 2;
export const LEASE_SECONDS = 6;
const SETTLE_MS = 40_000;
/** Messages that are not lost arrive in this time. */
const SETTLE_LOST_MS = 15_000;
const POLL_MS = 50;

/** Two nodes under load on a primary with a standby, which change places in several ways. */
export async function runFailovers(options: FailoverOptions): Promise<FailoverReport> {
  const { folder, synchronous } = options;
  const [disk, other] = [openDisk(), openDisk()];
  const primary = await startServer(disk);
  await loadOneClass(primary.url, folder, SCHOOL);
  const standby = await startServer(other, { standbyOf: primary });
  const disks = [
    [primary.port, disk],
    [standby.port, other],
  ] as const;
  const pair: Servers = {
    ...{ primary, standby },
    disks: new Map(disks.flatMap(([port, each]) => (each === undefined ? [] : [[port, each]]))),
  };
  if (synchronous) await makeSynchronous(pair.primary);
  const poolers = await startPoolers(pair, options);
  const url = urlOf(pair, poolers);
  const provider = await new FakeProvider().start();
  const nodes = Array.from({ length: NODES }, (_, at) => beginNode(folder, at, url, provider.url));
  const clients = new Clients(nodes);
  const reports = new GatewayReports(nodes);
  const log = new ProviderLog(
    provider,
    () => false,
    (request) => reports.take(request),
  );
  const operator = await Operator.begin(folder, url);
  const report: Round[] = [];
  let receiptsLost: number;
  try {
    await Promise.all(nodes.map((node) => node.listening()));
    const work = clients.run();
    for (const event of chosen(pair, options)) {
      await clients.acknowledges(CLIENTS * 4);
      await operator.work(pair.primary.url);
      clients.slowestMs = 0;
      const refusedBefore = clients.refused;
      const start = performance.now();
      const since = (): number => (performance.now() - start) / 1000;
      const after = await event.act(pair);
      const lasted = event.lasts === true ? since() : 0;
      const calls = clients.acknowledges(CLIENTS).then(since);
      const ready = Promise.all(nodes.map((node) => isReady(node.port))).then(since);
      const outage = { calls: (await calls) - lasted, ready: (await ready) - lasted };
      const slowest = clients.slowestMs / 1000;
      await after();
      if (synchronous) await makeSynchronous(pair.primary);
      const worked = await operator.end(pair.primary.url, synchronous);
      const { port } = poolers.find(({ server }) => server === pair.primary.port) ?? pair.primary;
      const named = await Promise.all(nodes.map((node) => isNamed(node, port)));
      clients.expected.push(...worked.retried);
      const refused = clients.refused - refusedBefore;
      const isAllNamed = named.every(Boolean);
      report.push({ event, ...outage, slowest, refused, isNamed: isAllNamed, operator: worked });
    }
    clients.stop();
    await work;
    await log.arrived(clients.expected, synchronous ? SETTLE_MS : SETTLE_LOST_MS);
    await reports.ended();
    receiptsLost = await reports.lost(pair.primary.url, synchronous ? SETTLE_MS : 0);
    for (const node of nodes) await node.stop();
  } finally {
    clients.stop();
    reports.stop();
    await operator.close();
    for (const node of nodes) node.signal('SIGKILL');
    await Promise.all(nodes.map((node) => node.ended()));
    await provider.stop();
    for (const { stop } of [...poolers, pair.primary, pair.standby]) stop();
    for (const each of pair.disks.values()) each.remove();
  }
  const repeatedAfter = [...log.receipts.values()].flatMap((receipts) =>
    receipts.slice(1).map(({ at }, before) => (at - (receipts[before]?.at ?? 0)) / 1000),
  );
  return {
    acknowledged: clients.acknowledged,
    messages: clients.expected.length,
    lost: clients.expected.filter((key) => !log.receipts.has(key)).length,
    receipts: reports.acknowledged,
    receiptsLost,
    repeatedAfter: repeatedAfter.toSorted((a, b) => a - b),
    refusals: clients.refusals,
    rounds: report,
  };
}

/**
 * Goes through the events in turn, and skips any that this machine cannot try. Behind a pooler a lock comes first, since
 * the pooler drops the limit of statements.
 */
function* chosen(pair: Servers, { rounds, pooler }: FailoverOptions): Generator<FailoverEvent> {
  const first = pooler === undefined ? 0 : EVENTS.findIndex(({ lasts }) => lasts === true);
  for (let round = 0; round < rounds; round += 1) {
    const event = EVENTS[(first + round) % EVENTS.length] ?? EVENTS[0];
    const reason = event.skipped?.(pair);
    if (reason === undefined) yield event;
    else console.log(`  skipped, ${reason}: ${event.name}`);
  }
}

async function startPoolers(
  { primary, standby }: Servers,
  { pooler }: FailoverOptions,
): Promise<readonly (Pooler & { readonly server: number })[]> {
  if (pooler === undefined) return [];
  return Promise.all(
    [primary, standby].map(async ({ url, port }) => ({ ...(await startPooler(url, pooler)), server: port })),
  );
}

/** The URL of both servers, or of the poolers before them. */
function urlOf({ primary, standby }: Servers, poolers: readonly Pooler[]): string {
  const [first = primary, second = standby] = poolers;
  return first.url.replace(/\/postgres$/, `,127.0.0.1:${String(second.port)}/postgres`);
}

function beginNode(folder: string, at: number, databaseUrl: string, provider: string): ServiceProcess {
  const own = join(folder, `node-${String(at)}`);
  mkdirSync(own, { recursive: true });
  return new ServiceProcess(own, {
    settings: {
      ...{ DATABASE_URL: databaseUrl, SAMPLE_DATA: 'false' },
      PROVIDER_TIMEOUT_SECONDS: String(LEASE_SECONDS / 3),
      ...providerSettings(own, provider),
      GATEWAYS_FILE: writeRoute(own, {
        first: { url: `${provider}/sms/first`, receipts: reportsOf('first') },
      }),
    },
  });
}

/** Returns true if the console names the server with this port as the one in use. */
async function isNamed(node: ServiceProcess, port: number): Promise<boolean> {
  const { body } = await node.askAdmin({ path: '/settings' });
  return body.includes(` on 127.0.0.1:${String(port)}<`);
}

async function isReady(port: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${String(port)}/readyz`);
    await response.text();
    if (response.ok) return;
    await delay(POLL_MS);
  }
}
