import type { Config } from '../../config';
import { readSmsPrices } from '../../delivery';
import { Calendar, type Store } from '../../store';
import { DayCounts } from './day-counts';
import { type UsageGroup, usageOfMonth, type UsageReport } from '../usage';

/** What was sent in a month; what is not of late may be as it was an hour ago. */
export class MonthUsage {
  readonly #usage: DayCounts;
  readonly #config: Config;
  readonly calendar: Calendar;

  constructor({ usage }: Pick<Store, 'usage'>, config: Config, now: () => number) {
    this.#usage = new DayCounts(usage, now);
    this.#config = config;
    this.calendar = new Calendar(config.TIME_ZONE);
  }

  /** The month of a moment, such as 2026-11. */
  monthOf(now: number): string {
    return this.calendar.dayOf(now).slice(0, 'YYYY-MM'.length);
  }

  /**
   * @param month - such as 2026-11
   * @throws OperatorError where DELIVERY_FILE cannot be read
   */
  report(month: string, by: UsageGroup): Promise<UsageReport> {
    const prices = readSmsPrices(this.#config.DELIVERY_FILE);
    return usageOfMonth({ usage: this.#usage }, { month, by, calendar: this.calendar, prices });
  }
}
