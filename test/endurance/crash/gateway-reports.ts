import { setTimeout as delay } from 'node:timers/promises';

import type { ReceivedRequest } from '../../../scripts/harness/delivery';
import { exchange, type ServiceProcess } from '../../../scripts/harness';
import { openEngine } from '../../../src/store/open-engine';

const SECRET = 'crash-run-receipts';
const AGAIN_MS = 300;
const POLL_MS = 200;

/** Returns what the description of a gateway says of its receipts. */
export function reportsOf(gateway: string): object {
  return {
    url: `https://school.example/receipts/${gateway}/${SECRET}`,
    providerId: { json: '/sid' },
    status: { json: '/status' },
    states: [
      { status: 'yes', state: 'delivered' },
      { status: 'no', state: 'undelivered' },
    ],
  };
}

/** A service that answers on a port; 0 while it has none. */
type Node = Pick<ServiceProcess, 'port'>;

/** The gateways' side of receipts: each SMS that they take is reported until a node of the service acknowledges it. */
export class GatewayReports {
  readonly #nodes: readonly Node[];
  readonly #acknowledged = new Map<string, 'delivered' | 'undelivered'>();
  readonly #open = new Set<Promise<void>>();
  #taken = 0;
  #stopped = false;

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Takes an SMS, at `…/GATEWAY`. Its report sets out with the answer, so that either may come first. */
  take({ path }: ReceivedRequest): string {
    if (!path.startsWith('/sms')) return '{}';
    const sid = `S${String((this.#taken += 1))}`;
    const gateway = path.slice(path.lastIndexOf('/') + 1);
    const report = this.#report(gateway, sid, this.#taken % 3 === 0 ? 'undelivered' : 'delivered');
    this.#open.add(report);
    void report.finally(() => this.#open.delete(report));
    return JSON.stringify({ sid });
  }

  /** Resolves when every report is acknowledged. */
  async ended(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  stop(): void {
    this.#stopped = true;
  }

  async #report(gateway: string, sid: string, state: 'delivered' | 'undelivered'): Promise<void> {
    const body = JSON.stringify({ sid, status: state === 'delivered' ? 'yes' : 'no' });
    for (let at = this.#taken; !this.#stopped; at += 1) {
      const port = this.#nodes[at % this.#nodes.length]?.port ?? 0;
      const answer =
        port === 0
          ? undefined
          : await exchange(port, {
              ...{ method: 'POST', path: `/receipts/${gateway}/${SECRET}`, body },
              headers: [['Content-Type', 'application/json']],
            }).catch(() => undefined);
      if (answer?.status === 200) {
        this.#acknowledged.set(sid, state);
        return;
      }
      await delay(AGAIN_MS);
    }
  }

  /**
   * Counts the acknowledged reports that their messages lack, or have otherwise, after the time that early ones take.
   */
  async lost(databaseUrl: string, withinMs: number): Promise<number> {
    const until = performance.now() + withinMs;
    for (;;) {
      const lost = await this.#lackingNow(databaseUrl);
      if (lost === 0 || performance.now() > until) return lost;
      await delay(POLL_MS);
    }
  }

  async #lackingNow(databaseUrl: string): Promise<number> {
    const engine = openEngine({ url: databaseUrl, mustExist: true });
    try {
      const rows = await engine.direct.kysely
        .selectFrom('messages')
        .select(['provider_id', 'receipt'])
        .where('state', '=', 'sent')
        .where('provider_id', 'is not', null)
        .execute();
      return rows.filter(({ provider_id: sid, receipt }) => {
        const said = this.#acknowledged.get(sid ?? '');
        return said !== undefined && receipt !== said;
      }).length;
    } finally {
      await engine.close();
    }
  }
}
