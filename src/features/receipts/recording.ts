import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

import type { ReadReceipt } from './receipt-reader';
import type { Receipt, Receipts, UnmatchedReceipt } from './stored-receipts';

type ReceiptResult =
  Receipt['state'] | Awaited<ReturnType<Receipts['record']>>[number] | 'waiting' | 'unreadable' | 'forged';

/** Counts what gateways report. */
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

/** Maximum number of statuses in a log line. */
const MAX_NAMED = 5;

/** Log of receipts. It contains no phone, no code and no name. */
export class ReceiptLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs receipts that came before their SMS were recorded as sent. */
  joined(receipts: number): void {
    this.#logger.info({ receipts }, 'recorded early receipts');
  }

  given(gateway: string, asked: number, recorded: number): void {
    this.#logger.info({ gateway, asked, recorded }, 'asked a gateway for receipts');
  }

  notGiven(gateway: string): void {
    this.#logger.warn({ gateway }, 'gateway has no result for SMS');
  }

  /**
   * Logs receipts that cannot be read.
   *
   * @param unmatched - statuses or codes that no rule names; empty for unusual ones
   */
  unread(gateway: string, receipts: number, unmatched: readonly string[]): void {
    const named = unmatched.slice(0, MAX_NAMED);
    this.#logger.warn(
      { gateway, receipts, unmatched: named },
      'receipts not understood; no rule in GATEWAYS_FILE fits',
    );
  }
}

function isUnmatched(read: ReadReceipt): read is UnmatchedReceipt {
  return typeof read !== 'string' && 'unmatched' in read;
}

/** Counts, logs and notes the receipts that report no end. */
export async function noteUnread(
  store: Pick<Receipts, 'noteUnmatched'>,
  counter: ReceiptCounter,
  log: Pick<ReceiptLog, 'unread'>,
  gateway: string,
  read: readonly ReadReceipt[],
): Promise<void> {
  const unmatched = read.filter(isUnmatched);
  for (const each of read) if (each === 'waiting') counter.count(gateway, each);
  const unread =
    read.length === 0 ? 1 : read.filter((each) => each === 'unreadable').length + unmatched.length;
  if (unread === 0) return;
  for (let count = 0; count < unread; count += 1) counter.count(gateway, 'unreadable');
  log.unread(gateway, unread, [...new Set(unmatched.map((each) => each.unmatched))]);
  if (unmatched.length > 0) await store.noteUnmatched(unmatched);
}

/** Records and counts receipts. @param now - milliseconds since 1970 UTC */
export async function record(
  store: Pick<Receipts, 'record'>,
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
