import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max';

import { ENDED_STATES } from '../../store';
import { type Calendar, dayAfter } from '../../support/calendar';
import type { DailyUsage, UsageCount, UsageName } from './daily-usage';
import type { SmsPrices } from './sms-prices';

/** Countries by calling code; undefined for a shared one. */
const BY_CODE: ReadonlyMap<string, CountryCode | undefined> = countriesByCode();
/** Length of the kept beginning of older messages' numbers: a plus sign and two digits. */
const PREFIX_LENGTH = 3;

/**
 * Returns the country for the kept beginning of a number.
 *
 * @param kept - a country, a calling code after a plus sign, or the plus sign and the first two digits
 * @returns a country, the calling code if only that is known, or nothing if the digits identify neither
 */
function countryOf(kept: string): string {
  if (!kept.startsWith('+')) return kept;
  if (kept.length === PREFIX_LENGTH && !BY_CODE.has(kept)) return '';
  return BY_CODE.get(kept) ?? kept;
}

function countriesByCode(): ReadonlyMap<string, CountryCode | undefined> {
  const byCode = new Map<string, CountryCode | undefined>();
  for (const country of getCountries()) {
    const code = `+${getCountryCallingCode(country)}`;
    byCode.set(code, byCode.has(code) ? undefined : country);
  }
  return byCode;
}

export const USAGE_GROUPS = ['school', 'country', 'channel', 'gateway', 'caller', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Counted states; `waiting` includes all that are not final. */
export const USAGE_STATES = [...ENDED_STATES, 'waiting'] as const;
type UsageState = (typeof USAGE_STATES)[number];

/** Messages of a month in one group. */
export interface UsageLine {
  /** The school, country, channel, gateway, caller or day; empty if there is none, or it is unknown. */
  readonly name: string;
  readonly messages: number;
  readonly states: Readonly<Record<UsageState, number>>;
  /** Number of SMS parts sent. */
  readonly parts: number;
  /** Their prices in millionths, by ISO 4217 currency. */
  readonly prices: ReadonlyMap<string, bigint>;
  /** Number of parts without a known price. */
  readonly unpricedParts: number;
}

export interface UsageReport {
  /** Sorted by name. */
  readonly lines: readonly UsageLine[];
  readonly total: UsageLine;
  /** Countries without a known price, in order; empty for an unknown country. */
  readonly unpricedCountries: readonly string[];
}

interface UsageQuestion {
  /** YYYY-MM */
  readonly month: string;
  readonly by: UsageGroup;
  /** Determines where days begin. */
  readonly calendar: Calendar;
  readonly prices: SmsPrices;
}

/**
 * Counts the messages accepted in a month, day by day, so that only one day is in memory besides the result.
 */
export async function usageOfMonth(
  usage: Pick<DailyUsage, 'ofDay'>,
  { month, by, calendar, prices }: UsageQuestion,
): Promise<UsageReport> {
  const lines = new Map<string, LineSum>();
  const total = new LineSum('');
  const unpriced = new Set<string>();
  const wanted: UsageName = by === 'school' || by === 'caller' ? by : 'nothing';
  for (let day = `${month}-01`; day.startsWith(month); day = dayAfter(day)) {
    for (const count of await usage.ofDay(calendar, day, wanted)) {
      const country = countryOf(count.country);
      const { channel, gateway, name: schoolOrCaller } = count;
      const name = { school: schoolOrCaller, caller: schoolOrCaller, country, channel, gateway, day }[by];
      const line = lines.get(name) ?? new LineSum(name);
      lines.set(name, line);
      const price = prices.of(country, day, gateway);
      line.add(count, price);
      total.add(count, price);
      if (count.parts > 0 && price === undefined) unpriced.add(country);
    }
  }
  return {
    lines: [...lines.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    total,
    unpricedCountries: [...unpriced].sort(),
  };
}

class LineSum implements UsageLine {
  readonly states = { sent: 0, written: 0, partly: 0, failed: 0, expired: 0, suppressed: 0, waiting: 0 };
  readonly prices = new Map<string, bigint>();
  messages = 0;
  parts = 0;
  unpricedParts = 0;

  constructor(readonly name: string) {}

  add({ state, messages, parts }: UsageCount, price: ReturnType<SmsPrices['of']>): void {
    const ended = USAGE_STATES.find((known) => known === state) ?? 'waiting';
    this.states[ended] += messages;
    this.messages += messages;
    this.parts += parts;
    if (parts === 0) return;
    if (price === undefined) {
      this.unpricedParts += parts;
      return;
    }
    const before = this.prices.get(price.currency) ?? 0n;
    this.prices.set(price.currency, before + price.price * BigInt(parts));
  }
}
