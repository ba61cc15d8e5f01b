import { setImmediate as nextTurn } from 'node:timers/promises';

import { Counter, type Registry } from 'prom-client';

import type { Config, Reloadable } from '../config';
import type { Receipt, Store, UnmatchedReceipt } from '../store';
import type { Clock } from './clock';
import { BodyTooComplex } from './gateways/answer-xml';
import { readGateways } from './gateways/gateway-file';
import { type ReceiptCall, ReceiptReader } from './gateways/receipts';
import type { DeliveryLog } from './workers/delivery-log';
import type { SmsRoutes } from './senders/sms-routes';
import type { ReadReceipt, SmsTransport } from './transports/provider-client';
import { MINUTE_MS } from '../support/durations';

/** Maximum number of receipts recorded in one transaction. */
const MAX_AT_ONCE = 1000;

type ReceiptResult =
  | Receipt['state']
  | Awaited<ReturnType<Store['receipts']['record']>>[number]
  | 'waiting'
  | 'unreadable'
  | 'forged';

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

  count(gateway: string, result: Exclude<ReceiptResult, 'recorded'>): void {
    this.#counter.inc({ gateway, result });
  }
}

interface WaitingReceipts {
  readonly receipts: readonly Receipt[];
  readonly recorded: () => void;
  readonly failed: (error: unknown) => void;
}

/** Takes the receipts that gateways send, and records those of a turn together. */
export class ReceiptInbox implements Reloadable {
  readonly settings = ['GATEWAYS_FILE'] as const;
  readonly #store: Pick<Store['receipts'], 'record' | 'noteUnmatched'>;
  readonly #log: Pick<DeliveryLog, 'receiptsUnread'>;
  readonly #counter: ReceiptCounter;
  readonly #now: Clock;
  #readers: ReadonlyMap<string, ReceiptReader> = new Map();
  #waiting: WaitingReceipts[] = [];
  #isWriting = false;

  /** @throws SettingError for an unusable GATEWAYS_FILE */
  constructor(
    config: Config,
    store: Pick<Store['receipts'], 'record' | 'noteUnmatched'>,
    counter: ReceiptCounter,
    log: Pick<DeliveryLog, 'receiptsUnread'>,
    now: Clock,
  ) {
    this.#store = store;
    this.#log = log;
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

  /** Returns the body of the answer that a gateway waits for. */
  replyTo(gateway: string): string {
    return this.#readers.get(gateway)?.reply ?? '';
  }

  /**
   * Records the receipts of an admitted call. Resolves when they are durable.
   *
   * @returns false for an invalid signature
   * @throws BodyTooComplex
   */
  async take(gateway: string, call: ReceiptCall): Promise<boolean> {
    const read = this.#read(gateway, call);
    if (read === undefined) {
      this.#counter.count(gateway, 'forged');
      return false;
    }
    const receipts = read.filter(isReceipt);
    // A call has at least one receipt.
    await noteUnread(
      this.#store,
      this.#counter,
      this.#log,
      gateway,
      read.length === 0 ? ['unreadable'] : read,
    );
    if (receipts.length > 0) {
      await new Promise<void>((recorded, failed) => {
        this.#waiting.push({ receipts, recorded, failed });
        if (!this.#isWriting) void this.#writeAll();
      });
    }
    return true;
  }

  #read(gateway: string, call: ReceiptCall): readonly ReadReceipt[] | undefined {
    try {
      return this.#readers.get(gateway)?.read(call, this.#now());
    } catch (error) {
      if (error instanceof BodyTooComplex) this.#counter.count(gateway, 'unreadable');
      throw error;
    }
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Calls that arrive in the same turn share the first transaction.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const calls = this.#nextCalls();
      const receipts = calls.flatMap((call) => call.receipts);
      try {
        await record(this.#store, this.#counter, receipts, this.#now());
        for (const { recorded } of calls) recorded();
      } catch (error) {
        for (const { failed } of calls) failed(error);
      }
    }
    this.#isWriting = false;
  }

  /** A call has at most as many receipts as a transaction takes. */
  #nextCalls(): readonly WaitingReceipts[] {
    let receipts = 0;
    const end = this.#waiting.findIndex((call) => (receipts += call.receipts.length) > MAX_AT_ONCE);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}

function isReceipt(read: ReadReceipt): read is Receipt {
  return typeof read !== 'string' && 'state' in read;
}

function isUnmatched(read: ReadReceipt): read is UnmatchedReceipt {
  return typeof read !== 'string' && 'unmatched' in read;
}

/** Counts, logs and notes the receipts that report no end. */
async function noteUnread(
  store: Pick<Store['receipts'], 'noteUnmatched'>,
  counter: ReceiptCounter,
  log: Pick<DeliveryLog, 'receiptsUnread'>,
  gateway: string,
  read: readonly ReadReceipt[],
): Promise<void> {
  const unmatched = read.filter(isUnmatched);
  for (const each of read) if (each === 'waiting') counter.count(gateway, each);
  const unread =
    read.length === 0 ? 1 : read.filter((each) => each === 'unreadable').length + unmatched.length;
  if (unread === 0) return;
  for (let count = 0; count < unread; count += 1) counter.count(gateway, 'unreadable');
  log.receiptsUnread(gateway, unread, [...new Set(unmatched.map((each) => each.unmatched))]);
  if (unmatched.length > 0) await store.noteUnmatched(unmatched);
}

async function record(
  store: Pick<Store['receipts'], 'record'>,
  counter: ReceiptCounter,
  receipts: readonly Receipt[],
  now: number,
): Promise<void> {
  const results = await store.record(receipts, now);
  receipts.forEach(({ gateway, state }, at) => {
    const result = results[at] ?? 'unknown';
    counter.count(gateway, result === 'recorded' ? state : result);
  });
}

/**
 * Ages at which the gateway is asked about an SMS: after a minute, each time twice as old, and after 48
 * hours.
 */
const ASKED_AT_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 2880].map(
  (minutes) => minutes * MINUTE_MS,
);
/** Interval of the rounds, in milliseconds: an SMS is asked about soon after it has reached an age. */
const ROUND_MS = 10_000;
/** Maximum number of requests to one gateway in a round. */
const MAX_REQUESTS = 20;

interface ReceiptPollOptions {
  readonly routes: Pick<SmsRoutes, 'asked'>;
  readonly store: Pick<Store['receipts'], 'record' | 'noteUnmatched' | 'takeUnreported'>;
  readonly counter: ReceiptCounter;
  /** Time limit for one answer. */
  readonly timeoutMs: number;
  readonly log: Pick<DeliveryLog, 'receiptsGiven' | 'receiptsNotGiven' | 'receiptsUnread' | 'storeFailed'>;
}

/** Asks the gateways that do not call what became of the SMS that they accepted. */
export class ReceiptPoll {
  readonly #options: ReceiptPollOptions;
  readonly #stop = new AbortController();
  #round: Promise<void> | undefined;
  #askedAt: number | undefined;

  constructor(options: ReceiptPollOptions) {
    this.#options = options;
  }

  /**
   * Asks about the SMS that are due, unless the last round is still in progress or was shortly before.
   *
   * @param now - milliseconds since 1970 UTC
   * @returns when the round in progress ends; it does not reject
   */
  ask(now: number): Promise<void> {
    // In either direction, as the clock may have been changed.
    if (this.#askedAt !== undefined && Math.abs(now - this.#askedAt) < ROUND_MS)
      return this.#round ?? Promise.resolve();
    this.#round ??= this.#askAll(now).finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#round;
  }

  async #askAll(now: number): Promise<void> {
    const { routes, log } = this.#options;
    const last = this.#askedAt ?? now - MINUTE_MS;
    this.#askedAt = now;
    try {
      for (const gateway of routes.asked) await this.#askOne(gateway, { last, now });
    } catch (error) {
      log.storeFailed('receipts', error);
    }
  }

  async #askOne(
    { name, receiptsAtOnce: atOnce = 1, askReceipts }: SmsTransport,
    times: { readonly last: number; readonly now: number },
  ): Promise<void> {
    const { store, counter, timeoutMs, log } = this.#options;
    counter.show(name);
    const all = await store.takeUnreported(name, ASKED_AT_MS, atOnce * MAX_REQUESTS, times);
    for (let at = 0; at < all.length && !this.#stop.signal.aborted; at += atOnce) {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]);
      const ids = all.slice(at, at + atOnce);
      const read = await askReceipts?.(ids, times.now, signal);
      if (read === undefined) {
        log.receiptsNotGiven(name);
        return;
      }
      const receipts = read.filter(isReceipt);
      await record(store, counter, receipts, times.now);
      log.receiptsGiven(name, ids.length, receipts.length);
      await noteUnread(store, counter, log, name, read);
    }
  }
}
