import { type AskedGateway, BodyTooComplex } from '../../delivery';
import { MINUTE_MS } from '../../support/durations';
import { isReceipt, type ReadReceipt, readReceipts } from './receipt-reader';
import { noteUnread, type ReceiptCounter, type ReceiptLog, record } from './recording';
import type { Receipts } from './stored-receipts';

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
  readonly sms: { readonly asked: readonly AskedGateway[] };
  readonly store: Pick<Receipts, 'record' | 'noteUnmatched' | 'takeUnreported'>;
  readonly counter: ReceiptCounter;
  /** Time limit for one answer. */
  readonly timeoutMs: number;
  readonly log: Pick<ReceiptLog, 'given' | 'notGiven' | 'unread'>;
  /** Called when the store fails. */
  readonly onFailure: (error: unknown) => void;
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
    const { sms, onFailure } = this.#options;
    const last = this.#askedAt ?? now - MINUTE_MS;
    this.#askedAt = now;
    try {
      for (const gateway of sms.asked) await this.#askOne(gateway, { last, now });
    } catch (error) {
      onFailure(error);
    }
  }

  async #askOne(asked: AskedGateway, times: { readonly last: number; readonly now: number }): Promise<void> {
    const { store, counter, timeoutMs, log } = this.#options;
    const { name, receipts: described } = asked.gateway;
    const atOnce = described?.request?.ids ?? 1;
    counter.show(name);
    const all = await store.takeUnreported(name, ASKED_AT_MS, atOnce * MAX_REQUESTS, times);
    for (let at = 0; at < all.length && !this.#stop.signal.aborted; at += atOnce) {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]);
      const ids = all.slice(at, at + atOnce);
      const read = await askAbout(asked, ids, times.now, signal);
      if (read === undefined) {
        log.notGiven(name);
        return;
      }
      const receipts = read.filter(isReceipt);
      await record(store, counter, receipts, times.now);
      log.given(name, ids.length, receipts.length);
      await noteUnread(store, counter, log, name, read);
    }
  }
}

/** Needs no escaping, in any type of request. */
const PLAIN_ID = /^[\w.:-]+$/;

/**
 * Asks a gateway what became of SMS, by its ids.
 *
 * @param now - milliseconds since 1970 UTC
 * @returns undefined if the gateway does not answer with success
 */
export async function askAbout(
  { gateway: { name, receipts }, ask }: AskedGateway,
  providerIds: readonly string[],
  now: number,
  signal: AbortSignal,
): Promise<readonly ReadReceipt[] | undefined> {
  const ids = providerIds.filter((id) => PLAIN_ID.test(id));
  if (receipts === undefined || ids.length === 0) return [];
  const body = await ask(ids, signal);
  if (body === undefined) return undefined;
  try {
    return readReceipts(name, receipts, body, now, ids[0]);
  } catch (error) {
    if (error instanceof BodyTooComplex) return undefined;
    throw error;
  }
}
