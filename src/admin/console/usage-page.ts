import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

import { html, type Html, NOTHING } from '../../asmx';
import type { Config } from '../../config';
import { readSmsPrices } from '../../delivery/wording';
import { Calendar, dayAfter, type Store, type UsageCount, type UsageName } from '../../store';
import { shown } from '../../support/text';
import { USAGE_COLUMNS, usageCells, type UsageHead, usageName, withoutPrice } from '../reports/records';
import {
  USAGE_GROUPS,
  USAGE_STATES,
  type UsageGroup,
  type UsageLine,
  usageOfMonth,
  type UsageReport,
} from '../reports/usage-report';
import type { Text, Words } from '../texts/words';
import { table } from './console-page';
import { BAD_STATES, type Plot } from './plots';

/** Time for which counts of past days are reused: their messages only change when retried. */
const PAST_FRESH_MS = 60 * 60_000;
const LATE_FRESH_MS = 60_000;
/** Maximum number of cached days: two months by three groups. */
const MAX_KEPT = 200;
/** Time for which a page waits for counts. */
const SOON_MS = 100;
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
  readonly #usage: Pick<Store['usage'], 'ofDay'>;
  readonly #now: () => number;
  readonly #kept = new Map<string, CachedUsage>();

  constructor(usage: Pick<Store['usage'], 'ofDay'>, now: () => number) {
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
    this.#kept.delete(key);
    this.#kept.set(key, { until: now + (isPast ? PAST_FRESH_MS : LATE_FRESH_MS), counts });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    // A failure is not cached.
    counts.catch(() => this.#kept.delete(key));
    return counts;
  }
}

/** Shown instead of counts that take long. */
export const COUNTING = 'Still counting. Reload the page in a moment.' satisfies Text;

/** Usage of a month; counts of past days may be an hour old. */
export class MonthUsage {
  readonly #usage: DayCounts;
  readonly #last = new Map<string, { readonly report: UsageReport; readonly until: number }>();
  readonly #config: Config;
  readonly #soonMs: number;
  readonly calendar: Calendar;

  /** @param soonMs - time for which a page waits for counts */
  constructor(
    { usage }: { readonly usage: Pick<Store['usage'], 'ofDay'> },
    config: Config,
    now: () => number,
    soonMs = SOON_MS,
  ) {
    this.#soonMs = soonMs;
    this.#usage = new DayCounts(usage, now);
    this.#config = config;
    this.calendar = new Calendar(config.TIME_ZONE);
  }

  /** Returns the month of a moment, such as 2026-11. */
  monthOf(now: number): string {
    return this.calendar.dayOf(now).slice(0, 'YYYY-MM'.length);
  }

  /**
   * @param month - such as 2026-11
   * @throws OperatorError if DELIVERY_FILE is unreadable
   */
  report(month: string, by: UsageGroup): Promise<UsageReport> {
    const prices = readSmsPrices(this.#config.DELIVERY_FILE);
    return usageOfMonth({ usage: this.#usage }, { month, by, calendar: this.calendar, prices });
  }

  /**
   * Returns a report within a tenth of a second: if counting takes longer, the last one unless it is over an hour old,
   * or else undefined. Counting continues.
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
    this.#last.delete(key);
    this.#last.set(key, { report, until: performance.now() + PAST_FRESH_MS });
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_REPORTS && oldest !== undefined) this.#last.delete(oldest);
    return report;
  }
}

/** @param report - by day */
export function usagePlot(
  { lines, total }: UsageReport,
  month: string,
  today: string,
  calendar: Calendar,
  words: Words,
): Plot {
  const byDay = new Map(lines.map((line) => [line.name, line]));
  const columns = USAGE_STATES.filter((state) => total.states[state] > 0);
  const days: string[] = [];
  for (let day = `${month}-01`; day.startsWith(month) && day <= today; day = dayAfter(day)) days.push(day);
  return {
    id: 'days',
    title: words.t('Messages by day'),
    unit: words.t('messages'),
    drawing: 'bars',
    columns: columns.map((state) => ({ name: words.said(state), isBad: BAD_STATES.includes(state) })),
    rows: days.map((day) => {
      const [from, to] = [day, dayAfter(day)].map((each) => calendar.startOf(each));
      return {
        at: from ?? 0,
        values: columns.map((state) => byDay.get(day)?.states[state] ?? 0),
        link: `/messages?newer-than=${isoText(from)}&older-than=${isoText(to)}`,
      };
    }),
  };
}

function isoText(time = 0): string {
  return new Date(time).toISOString();
}

/**
 * @param thisMonth - the current month
 * @param content - table and plot, or a note instead
 */
export function usagePage(
  { month, by, timeZone }: UsageHead,
  thisMonth: string,
  content: Html,
  words: Words,
): Html {
  const later = monthBeside(month, 1);
  return html`<h1>${words.t('Usage of {month}', { month })}</h1>
<p>${words.t('Messages accepted in this month (time zone {zone}), and the SMS they used.', { zone: timeZone })}</p>
<form class="filter inline" method="get" action="/usage">
<div class="field"><label for="f-month">${words.t('Month')}</label><input id="f-month" name="month" type="month" value="${month}" max="${thisMonth}"></div>
<div class="field"><label for="f-by">${words.t('Group by')}</label><select id="f-by" name="by">${USAGE_GROUPS.map((group) => html`<option value="${group}"${group === by ? html` selected` : NOTHING}>${words.said(group)}</option>`)}</select></div>
<button>${words.t('Show')}</button>
</form>
${content}<nav class="pager" aria-label="${words.t('Months')}"><a href="/usage?month=${monthBeside(month, -1)}&amp;by=${by}">${words.t('Previous month')}</a>${later > thisMonth ? NOTHING : html`<a href="/usage?month=${later}&amp;by=${by}">${words.t('Next month')}</a>`}<a href="/usage.csv?month=${month}&amp;by=${by}">${words.t('Download CSV')}</a></nav>`;
}

/** Shows a month's table, like `school-notifications usage`, and a plot of its days. */
export function usagePart(report: UsageReport, { month, by }: UsageHead, plot: Html, words: Words): Html {
  const rows = report.lines.length === 0 ? [] : [...report.lines, report.total];
  const nameOf = (line: UsageLine): string =>
    line === report.total
      ? words.t('total')
      : shown(by === 'channel' ? words.said(line.name) : usageName(line));
  return html`${table<UsageLine>(words, {
    label: { text: 'Usage of {month} by {group}' satisfies Text, values: { month, group: { text: by } } },
    rows,
    none: 'No messages in this month.',
    columns: [
      { name: { text: by }, cell: nameOf },
      ...USAGE_COLUMNS.map((name, at) => ({
        name: { text: name },
        cell: (line: UsageLine) => usageCells(line)[at] ?? '',
        kind: 'number' as const,
      })),
    ],
  })}${withoutPrice(report.total, report.unpricedCountries).map((line) => html`<p>${words.said(line)}</p>\n`)}<h2>${words.t('By day')}</h2>
${plot}`;
}

function monthBeside(month: string, months: number): string {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 'YYYY-MM'.length);
}
