import { amountText } from '../../delivery';
import { USAGE_STATES, type UsageGroup, type UsageLine, type UsageReport } from '../usage';
import { numberText } from '../../support/text';
import { csvTable } from './record-texts';

/** What a report is about. */
export interface UsageHead {
  readonly month: string;
  readonly by: UsageGroup;
  readonly timeZone: string;
}

/** Of each line, behind its name. */
export const USAGE_COLUMNS = ['messages', ...USAGE_STATES, 'SMS', 'price'] as const;

/** A line's name for people. */
export function usageName({ name }: UsageLine): string {
  return name === '' ? '(none)' : name;
}

/** A line in as many cells as there are columns. */
export function usageCells({ messages, states, parts, prices }: UsageLine): readonly string[] {
  const counts = [messages, ...USAGE_STATES.map((state) => states[state]), parts];
  const price = currenciesOf([{ prices }]).map(
    (currency) => `${amountText(prices.get(currency) ?? 0n)} ${currency}`,
  );
  return [...counts.map(numberText), price.join(' + ')];
}

/** What is said where SMS have no price. */
export function withoutPrice({ unpricedParts }: UsageLine, countries: readonly string[]): readonly string[] {
  if (unpricedParts === 0) return [];
  const named = countries.map((country) => (country === '' ? 'countries that are not known' : country));
  return [
    `Without the price of ${numberText(unpricedParts)} SMS: DELIVERY_FILE has no smsPrices for ${named.join(', ')}.`,
  ];
}

/** A record for each group, and a column for each currency. */
export function usageCsv({ lines }: UsageReport, { by }: UsageHead): string {
  const currencies = currenciesOf(lines);
  return csvTable(
    [by, 'messages', ...USAGE_STATES, 'sms', 'smsWithoutPrice', ...currencies],
    lines.map(({ name, messages, states, parts, unpricedParts, prices }) => [
      name,
      ...[messages, ...USAGE_STATES.map((state) => states[state]), parts, unpricedParts].map(String),
      ...currencies.map((currency) => amountText(prices.get(currency) ?? 0n)),
    ]),
  );
}

/** In order. */
export function currenciesOf(lines: readonly Pick<UsageLine, 'prices'>[]): readonly string[] {
  return [...new Set(lines.flatMap(({ prices }) => [...prices.keys()]))].sort();
}
