import { pino } from 'pino';
import { Registry } from 'prom-client';

import { phoneOf } from '../../scripts/harness/delivery';
import { loadConfig } from '../../src/config';
import { createDelivery } from '../../src/delivery';
import type { Outcome } from '../../src/delivery/outcome';
import type { SmsMessage, SmsTransport } from '../../src/delivery/transports/transport';
import { Random } from '../harness/random';
import { useDatabase } from '../harness/test-databases';
import { Host, VirtualTime } from '../simulation/virtual-time';

const START = Date.parse('2026-03-02T10:00:00Z');
const LIFE_MS = 2 * 60_000;
const CODES = 800;
const PER_SECOND = 10;
const LATENCY_MS = 40;
const BUSY: Outcome = { kind: 'busy', reason: { code: 'provider_busy', status: 429 }, status: 429 };
/** Turns of the event loop in which whatever follows from a timer is done. */
const TURNS = 6;

/** A gateway that accepts ten messages a second, and answers 429 to the others. */
class Gateway {
  /** Telephone numbers of accepted messages, in order. */
  readonly accepted: string[] = [];
  /** Times at which they were, in milliseconds. */
  readonly times: number[] = [];
  requests = 0;
  readonly #host: Host;
  #room = PER_SECOND;
  #since = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  readonly send = async ({ phone }: SmsMessage): Promise<Outcome> => {
    this.requests += 1;
    const at = this.#host.elapsed();
    this.#room = Math.min(PER_SECOND, this.#room + ((at - this.#since) / 1000) * PER_SECOND);
    this.#since = at;
    const isTaken = this.#room >= 1;
    if (isTaken) {
      this.#room -= 1;
      this.accepted.push(phone);
      this.times.push(at);
    }
    await this.#host.delay(LATENCY_MS);
    return isTaken ? { kind: 'sent', status: 200 } : BUSY;
  };
}

/** Returns the fewest messages accepted in any ten seconds, after those in which the rate is found. */
function fewestInTenSeconds(times: readonly number[]): number {
  const last = times.at(-1) ?? 0;
  const starts = times.filter((at) => at >= 10_000 && at < last - 10_000);
  return Math.min(...starts.map((start) => times.filter((at) => at > start && at <= start + 10_000).length));
}

describe('800 codes at once', () => {
  const database = useDatabase('sqlite');

  it.each([
    { what: 'declared in GATEWAYS_FILE', rate: PER_SECOND, most: CODES, used: 0.95 },
    { what: 'shown by 429 alone', rate: undefined, most: CODES * 1.2, used: 0.85 },
  ])(
    'reach a gateway with a limit of 10 a second, $what, in their order and within their life',
    async ({ rate, most, used }) => {
      const time = new VirtualTime(new Random(1), START, TURNS);
      const host = new Host('node', time);
      const gateway = new Gateway(host);
      const close = (): Promise<void> => Promise.resolve();
      const transport: SmsTransport = { name: 'first', rate, send: gateway.send, close };
      const delivery = createDelivery({
        store: await database.open(),
        config: loadConfig({
          DATA_DIR: database.folder,
          PUMPING_GUARD: 'off',
        }),
        logger: pino({ level: 'silent' }),
        registry: new Registry(),
        takeReceipts: undefined,
        transports: {
          sms: { transports: [transport], routes: [{ gateways: ['first'] }] },
          push: { name: 'push', send: () => Promise.resolve({ kind: 'sent', status: 200 }), close },
        },
        now: time.wall,
        timers: host,
        random: () => 0.5,
      });
      const phones = Array.from({ length: CODES }, (_, at) => phoneOf(at));
      for (const phone of phones) {
        await delivery.acceptCode({ code: '84021', phone, createdAt: START, expiresAt: START + LIFE_MS });
      }
      delivery.start();
      while (gateway.accepted.length < CODES && time.elapsed < LIFE_MS) await time.step();

      expect(gateway.accepted).toEqual(phones);
      expect(gateway.requests).toBeLessThanOrEqual(most);
      expect(fewestInTenSeconds(gateway.times)).toBeGreaterThanOrEqual(used * PER_SECOND * 10);

      const stopped = delivery.stop(1000).then(() => 'stopped');
      while ((await Promise.race([stopped, time.step()])) !== 'stopped');
    },
  );
});
