import type { Config } from '../config';
import { readSmsPrices } from '../delivery';
import { Calendar, type Store } from '../store';
import { type UsageGroup, usageOfMonth, type UsageReport } from '../usage';

/** A report of a month reads all of its days: whoever asks again soon gets the same one. */
const FRESH_MS = 60_000;
const MOST_KEPT = 12;

interface Kept {
  readonly madeAt: number;
  readonly report: Promise<UsageReport>;
}

/** What was sent in a month, read at most once a minute. */
export class MonthUsage {
  readonly #store: Pick<Store, 'usage'>;
  readonly #config: Config;
  readonly #calendar: Calendar;
  readonly #kept = new Map<string, Kept>();

  constructor(store: Pick<Store, 'usage'>, config: Config) {
    this.#store = store;
    this.#config = config;
    this.#calendar = new Calendar(config.TIME_ZONE);
  }

  /** The month of a moment, such as 2026-11. */
  monthOf(now: number): string {
    return this.#calendar.dayOf(now).slice(0, 'YYYY-MM'.length);
  }

  /**
   * @param month - such as 2026-11
   * @throws OperatorError where DELIVERY_FILE cannot be read
   */
  async report(month: string, by: UsageGroup, now: number): Promise<UsageReport> {
    const key = `${month} ${by}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.madeAt < FRESH_MS) return kept.report;
    const prices = readSmsPrices(this.#config.DELIVERY_FILE);
    const report = usageOfMonth(this.#store, { month, by, calendar: this.#calendar, prices });
    this.#kept.delete(key);
    this.#kept.set(key, { madeAt: now, report });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    // One that fails is not kept for others.
    report.catch(() => this.#kept.delete(key));
    return report;
  }
}
