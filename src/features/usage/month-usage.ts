import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

import { LRUCache } from 'lru-cache';

import type { Config } from '../../config';
import type { DeliveryFileInUse } from '../../delivery/wording';
import { Calendar, dayAfter } from '../../support/calendar';
import type { DailyUsage, UsageCount, UsageName } from './daily-usage';
import { SmsPrices } from './sms-prices';
import { type UsageGroup, usageOfMonth, type UsageReport } from './usage-report';

/** Time for which counts of past days are reused: their messages only change when retried. */
const PAST_FRESH_MS = 60 * 60_000;
const LATE_FRESH_MS = 60_000;
/** Maximum number of cached days: two months by three groups. */
const MAX_KEPT = 200;
/** Maximum number of reports kept for pages that do not wait. */
const MAX_REPORTS = 24;

/** Counting rests after this time of work. */
const WORK_MS = 10;
/** Rest of counting, in multiples of its work: on SQLite, requests wait while it works. */
const REST_FACTOR = 4;

interface CachedUsage {
  readonly until: number;
  readonly counts: Promise<readonly UsageCount[]>;
}

/** Returns a function that gives other work a turn, and after some work most of the time. */
function rests(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const workedMs = performance.now() - since;
    if (workedMs < WORK_MS) {
      await nextTurn();
      return;
    }
    await delay(Math.min(workedMs, 10 * WORK_MS) * REST_FACTOR, undefined, { ref: false });
    since = performance.now();
  };
}

/** Cached counts of days: counting reads all messages of a day. Other work gets a turn between two days. */
export class DayCounts {
  readonly #usage: Pick<DailyUsage, 'ofDay'>;
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, CachedUsage>({ max: MAX_KEPT });

  constructor(usage: Pick<DailyUsage, 'ofDay'>, now: () => number) {
    this.#usage = usage;
    this.#now = now;
  }

  async ofDay(calendar: Calendar, day: string, name: UsageName): Promise<readonly UsageCount[]> {
    const now = this.#now();
    const key = `${day} ${name}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && now < kept.until) return kept.counts;
    const isPast = dayAfter(dayAfter(day)) <= calendar.dayOf(now);
    const counts = nextTurn().then(() => this.#usage.ofDay(calendar, day, name, rests()));
    this.#kept.set(key, { until: now + (isPast ? PAST_FRESH_MS : LATE_FRESH_MS), counts });
    // A failure is not cached.
    counts.catch(() => this.#kept.delete(key));
    return counts;
  }
}

/** Usage of a month; counts of past days may be an hour old. */
export class MonthUsage {
  readonly #usage: DayCounts;
  readonly #last = new LRUCache<string, { readonly report: UsageReport; readonly until: number }>({
    max: MAX_REPORTS,
  });
  readonly #file: Pick<DeliveryFileInUse, 'content'>;
  readonly #soonMs: number;
  readonly calendar: Calendar;

  /**
   * @param file - with the prices
   * @param soonMs - time for which a page waits for counts
   */
  constructor(
    usage: Pick<DailyUsage, 'ofDay'>,
    { TIME_ZONE }: Pick<Config, 'TIME_ZONE'>,
    file: Pick<DeliveryFileInUse, 'content'>,
    now: () => number,
    soonMs: number,
  ) {
    this.#soonMs = soonMs;
    this.#usage = new DayCounts(usage, now);
    this.#file = file;
    this.calendar = new Calendar(TIME_ZONE);
  }

  /** Returns the month of a moment, such as 2026-11. */
  monthOf(now: number): string {
    return this.calendar.dayOf(now).slice(0, 'YYYY-MM'.length);
  }

  /** @param month - such as 2026-11 */
  report(month: string, by: UsageGroup): Promise<UsageReport> {
    const prices = new SmsPrices(this.#file.content);
    return usageOfMonth(this.#usage, { month, by, calendar: this.calendar, prices });
  }

  /**
   * Returns a report within a tenth of a second: if counting takes longer, the last one unless it is over an
   * hour old, or else undefined. Counting continues.
   */
  async soon(month: string, by: UsageGroup): Promise<UsageReport | undefined> {
    const key = `${month} ${by}`;
    const counted = this.#counted(key, month, by);
    counted.catch(() => undefined);
    const last = delay(this.#soonMs, undefined, { ref: false }).then(() => {
      const { report, until = 0 } = this.#last.get(key) ?? {};
      return performance.now() < until ? report : undefined;
    });
    return Promise.race([counted, last]);
  }

  async #counted(key: string, month: string, by: UsageGroup): Promise<UsageReport> {
    const report = await this.report(month, by);
    this.#last.set(key, { report, until: performance.now() + PAST_FRESH_MS });
    return report;
  }
}
