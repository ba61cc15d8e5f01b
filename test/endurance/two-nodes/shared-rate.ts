import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import {
  FakeProvider,
  phoneOf,
  ProviderLog,
  providerSettings,
  writeGatewaysFile,
} from '../../../scripts/harness/delivery';
import { NodePulse } from '../../../src/admin/history/nodes';
import { loadConfig } from '../../../src/config';
import { createDelivery, type Delivery } from '../../../src/delivery';
import { nodeName, openStore, type Store } from '../../../src/store';
import { Metrics, openLog } from '../../../src/telemetry';

export interface SharedRateReport {
  /** Codes that reached the gateway. */
  readonly arrived: number;
  /** Time from the first to the last of them. */
  readonly seconds: number;
  /** Codes that the gateway got in each whole window of five seconds, in order. */
  readonly windows: readonly number[];
}

export interface SharedRateOptions {
  readonly nodes: number;
  /** Nodes that start while the others send. */
  readonly joining?: number;
  /** Role of the nodes that do not join; `web` leaves a backlog to those which do. */
  readonly role?: 'all' | 'web';
  readonly codes: number;
  /** The limit in GATEWAYS_FILE, of all nodes together. */
  readonly perSecond: number;
}

export const WINDOW_SECONDS = 5;
/** Longer than all codes take. */
const CODE_MS = 300_000;

/**
 * Has several nodes on one PostgreSQL send a burst through a gateway with a limit, which itself refuses nothing. They
 * run in this process: all that they share is the database.
 *
 * @param databaseUrl - an empty PostgreSQL database
 * @param folder - an empty folder
 */
export async function runSharedRate(
  databaseUrl: string,
  folder: string,
  { nodes: count, joining = 0, role = 'all', codes, perSecond }: SharedRateOptions,
): Promise<SharedRateReport> {
  const provider = await new FakeProvider().start();
  const log = new ProviderLog(provider);
  const open = (at: number): Promise<Node> => {
    const own = join(folder, `node-${String(at)}`);
    mkdirSync(own);
    const settings = {
      ...providerSettings(own, provider.url),
      GATEWAYS_FILE: writeGatewaysFile(own, { url: `${provider.url}/sms`, rate: { perSecond } }),
      DATABASE_URL: databaseUrl,
      ROLE: at < count ? role : 'all',
    };
    return openNode(at, { ...settings, DATA_DIR: own });
  };
  const openAll = (first: number, length: number): Promise<readonly Node[]> =>
    Promise.all(Array.from({ length }, (_, at) => open(first + at)));
  const nodes: Node[] = [];
  try {
    nodes.push(...(await openAll(0, count)));
    const phones = Array.from({ length: codes }, (_, at) => phoneOf(at));
    await Promise.all(
      phones.map(async (phone, at) => {
        const createdAt = Date.now();
        const code = { code: '4711', phone, createdAt, expiresAt: createdAt + CODE_MS };
        const decision = await nodes[at % count]?.delivery.acceptCode(code);
        if (decision?.kind !== 'stored') throw new Error(`The code for ${phone} was refused.`);
      }),
    );
    nodes.push(...(await openAll(count, joining)));
    await log.arrived(phones, (codes / perSecond) * 3000);
    const times = [...log.receipts.values()].flatMap((each) => each.map(({ at }) => at));
    const first = Math.min(...times);
    const seconds = (Math.max(...times) - first) / 1000;
    const whole = Math.floor(seconds / WINDOW_SECONDS);
    return {
      arrived: log.receipts.size,
      seconds,
      windows: Array.from({ length: whole }, (_, at) => {
        const from = first + at * WINDOW_SECONDS * 1000;
        return times.filter((time) => time >= from && time < from + WINDOW_SECONDS * 1000).length;
      }),
    };
  } finally {
    await Promise.all(nodes.map(closeNode));
    await provider.stop();
  }
}

interface Node {
  readonly store: Store;
  readonly delivery: Delivery;
  readonly pulse: NodePulse;
}

/** Opens what delivers in a service, and lets it report to the other nodes. */
async function openNode(at: number, settings: Readonly<Record<string, string>>): Promise<Node> {
  // The port tells the nodes of one machine apart.
  const config = loadConfig({ ...settings, PORT: String(at + 1) });
  const store = await openStore({ url: config.DATABASE_URL });
  const metrics = new Metrics();
  const { logger } = openLog('silent');
  const { registry } = metrics;
  const delivery = createDelivery({ store, config, logger, registry, takeReceipts: undefined });
  const node = { name: nodeName(config.PORT), version: '', folder: config.DATA_DIR, metrics };
  const pulse = new NodePulse({ store, node });
  delivery.start();
  pulse.start();
  return { store, delivery, pulse };
}

async function closeNode({ store, delivery, pulse }: Node): Promise<void> {
  await delivery.stop(0);
  await pulse.stop();
  await store.close();
}
