import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { callAtOnce, exchange, ServiceProcess } from '../../../scripts/harness';
import {
  codeRequest,
  FakeProvider,
  phoneOf,
  ProviderLog,
  providerSettings,
  writeGatewaysFile,
} from '../../../scripts/harness/delivery';

interface SharedRateReport {
  /** Codes that reached the gateway. */
  readonly arrived: number;
  /** Codes that the gateway got in each whole window of five seconds, in order. */
  readonly windows: readonly number[];
}

export const WINDOW_SECONDS = 5;
const CLIENTS = 8;

/**
 * Has several nodes on one PostgreSQL send a burst through a gateway with a limit, which itself refuses nothing.
 *
 * @param databaseUrl - an empty PostgreSQL database
 * @param folder - an empty folder
 * @param perSecond - the limit in GATEWAYS_FILE, of all nodes together
 * @param joining - number of the nodes that start while the others send
 * @param role - of the others; `web` for a backlog that those which join send alone
 */
export async function runSharedRate(
  databaseUrl: string,
  folder: string,
  {
    nodes: count,
    joining = 0,
    role = 'all',
    codes,
    perSecond,
  }: { nodes: number; joining?: number; role?: 'all' | 'web'; codes: number; perSecond: number },
): Promise<SharedRateReport> {
  const provider = await new FakeProvider().start();
  const log = new ProviderLog(provider);
  const open = (at: number): ServiceProcess => {
    const own = join(folder, `node-${String(at)}`);
    mkdirSync(own);
    const settings = {
      ...providerSettings(own, provider.url),
      GATEWAYS_FILE: writeGatewaysFile(own, { url: `${provider.url}/sms`, rate: { perSecond } }),
      DATABASE_URL: databaseUrl,
      PUMPING_GUARD: 'off',
      ROLE: at < count ? role : 'all',
    };
    return new ServiceProcess(own, { settings });
  };
  const nodes = Array.from({ length: count }, (_, at) => open(at));
  try {
    await Promise.all(nodes.map((node) => node.listening()));
    const phones = Array.from({ length: codes }, (_, at) => phoneOf(at));
    const ports = Array.from({ length: CLIENTS }, (_, at) => nodes[at % count]?.port ?? 0);
    await callAtOnce(ports, phones.values(), async (port, phone) => {
      const { status } = await exchange(port, codeRequest(phone));
      if (status !== 200) throw new Error(`A code was answered with ${String(status)}.`);
    });
    await Promise.all(
      Array.from({ length: joining }, (_, at) => {
        const node = open(count + at);
        nodes.push(node);
        return node.listening();
      }),
    );
    await log.arrived(phones, (codes / perSecond) * 3000);
    const times = [...log.receipts.values()].flatMap((each) => each.map(({ at }) => at));
    const first = Math.min(...times);
    const whole = Math.floor((Math.max(...times) - first) / 1000 / WINDOW_SECONDS);
    return {
      arrived: log.receipts.size,
      windows: Array.from({ length: whole }, (_, at) => {
        const from = first + at * WINDOW_SECONDS * 1000;
        return times.filter((time) => time >= from && time < from + WINDOW_SECONDS * 1000).length;
      }),
    };
  } finally {
    for (const node of nodes) node.signal('SIGKILL');
    await Promise.all(nodes.map((node) => node.ended()));
    await provider.stop();
  }
}
