import { setImmediate as nextTurn } from 'node:timers/promises';

import { Counter, type Registry } from 'prom-client';

import type { Config, Reloadable } from '../config';
import type { Receipt, Store } from '../store';
import type { Clock } from './clock';
import { readGateways } from './gateways/gateway-file';
import { type ReceiptCall, ReceiptReader } from './gateways/receipts';

/** Maximum number of receipts recorded in one transaction. */
const MOST_AT_ONCE = 1000;

type Counted =
  | Receipt['state']
  | Awaited<ReturnType<Store['receipts']['record']>>[number]
  | 'waiting'
  | 'unreadable'
  | 'forged';

/** Metric of receipts. */
export class ReceiptCounter {
  readonly #counter: Counter<'gateway' | 'result'>;

  constructor(registry: Registry) {
    this.#counter = new Counter({
      name: 'delivery_receipts_total',
      help: 'Receipts of SMS gateways, by gateway and result (delivered, undelivered, waiting, repeated, early, unknown, unreadable, forged).',
      labelNames: ['gateway', 'result'],
      registers: [registry],
    });
  }

  /** Prometheus sees no growth of a series that was not there before. */
  show(gateway: string): void {
    for (const result of ['delivered', 'undelivered']) this.#counter.inc({ gateway, result }, 0);
  }

  count(gateway: string, result: Exclude<Counted, 'recorded'>): void {
    this.#counter.inc({ gateway, result });
  }
}

interface Waiting {
  readonly receipts: readonly Receipt[];
  readonly recorded: () => void;
  readonly failed: (error: unknown) => void;
}

/** Takes the receipts that gateways send, and records those of a turn together. */
export class ReceiptInbox implements Reloadable {
  readonly settings = ['GATEWAYS_FILE'] as const;
  readonly #store: Pick<Store['receipts'], 'record'>;
  readonly #counter: ReceiptCounter;
  readonly #now: Clock;
  #readers: ReadonlyMap<string, ReceiptReader> = new Map();
  #waiting: Waiting[] = [];
  #isWriting = false;

  /** @throws SettingError for an unusable GATEWAYS_FILE */
  constructor(config: Config, store: Pick<Store['receipts'], 'record'>, counter: ReceiptCounter, now: Clock) {
    this.#store = store;
    this.#counter = counter;
    this.#now = now;
    this.reload(config);
  }

  reload({ SMS_CHANNEL, GATEWAYS_FILE }: Config): void {
    const gateways =
      SMS_CHANNEL === 'http' && GATEWAYS_FILE !== undefined ? readGateways(GATEWAYS_FILE).gateways : [];
    const readers = new Map(
      gateways.flatMap((gateway) => {
        const reader = ReceiptReader.of(gateway);
        return reader === undefined ? [] : [[gateway.name, reader] as const];
      }),
    );
    for (const gateway of readers.keys()) this.#counter.show(gateway);
    this.#readers = readers;
  }

  /** True if a gateway sends receipts. */
  get isUsed(): boolean {
    return this.#readers.size > 0;
  }

  /** Returns true for the secret of a gateway that sends receipts. */
  admits(gateway: string, secret: string): boolean {
    return this.#readers.get(gateway)?.isSecret(secret) === true;
  }

  /**
   * Records the receipts of an admitted call. Resolves when they are durable.
   *
   * @returns false for an invalid signature
   */
  async take(gateway: string, call: ReceiptCall): Promise<boolean> {
    const read = this.#readers.get(gateway)?.read(call, this.#now());
    if (read === undefined) {
      this.#counter.count(gateway, 'forged');
      return false;
    }
    const receipts = read.filter((each) => typeof each !== 'string');
    if (receipts.length > 0) {
      await new Promise<void>((recorded, failed) => {
        this.#waiting.push({ receipts, recorded, failed });
        if (!this.#isWriting) void this.#writeAll();
      });
    }
    for (const each of read) if (typeof each === 'string') this.#counter.count(gateway, each);
    return true;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Calls that arrive in the same turn share the first transaction.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const calls = this.#nextCalls();
      const receipts = calls.flatMap((call) => call.receipts);
      try {
        const results = await this.#store.record(receipts, this.#now());
        receipts.forEach(({ gateway, state }, at) => {
          const result = results[at] ?? 'unknown';
          this.#counter.count(gateway, result === 'recorded' ? state : result);
        });
        for (const { recorded } of calls) recorded();
      } catch (error) {
        for (const { failed } of calls) failed(error);
      }
    }
    this.#isWriting = false;
  }

  /** A call has at most as many receipts as a transaction takes. */
  #nextCalls(): readonly Waiting[] {
    let receipts = 0;
    const end = this.#waiting.findIndex((call) => (receipts += call.receipts.length) > MOST_AT_ONCE);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
