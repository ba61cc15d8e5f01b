import { csvTable } from '../../admin/reports/records';
import type { Text } from '../../admin/texts/words';
import type { Phrase, Sentence } from '../../support/phrase';
import { numberText } from '../../support/text';
import { amountText } from './amounts';
import { USAGE_STATES, type UsageGroup, type UsageLine, type UsageReport } from './usage-report';

export interface UsageHead {
  readonly month: string;
  readonly by: UsageGroup;
  readonly timeZone: string;
}

export const USAGE_COLUMNS = ['messages', ...USAGE_STATES, 'SMS', 'price'] as const;

export function usageName({ name }: UsageLine): string {
  return name === '' ? '(none)' : name;
}

export function usageCells({ messages, states, parts, prices }: UsageLine): readonly string[] {
  const counts = [messages, ...USAGE_STATES.map((state) => states[state]), parts];
  const price = listCurrencies([{ prices }]).map(
    (currency) => `${amountText(prices.get(currency) ?? 0n)} ${currency}`,
  );
  return [...counts.map(numberText), price.join(' + ')];
}

/** Returns a note about SMS without a known price. */
export function withoutPrice(
  { unpricedParts }: UsageLine,
  countries: readonly string[],
): readonly Sentence<Text>[] {
  if (unpricedParts === 0) return [];
  const named = countries.filter((country) => country !== '').join(', ');
  const text = 'The price excludes {n} SMS: DELIVERY_FILE has no smsPrices for {countries}.';
  const unknown: Phrase<Text> = {
    text: named === '' ? 'unknown countries' : '{named}, unknown countries',
    values: { named },
  };
  return [{ text, values: { n: unpricedParts, countries: countries.includes('') ? unknown : named } }];
}

/** Returns CSV with a record for each group, and a column for each currency. */
export function usageCsv({ lines }: UsageReport, { by }: UsageHead): string {
  const currencies = listCurrencies(lines);
  return csvTable(
    [by, 'messages', ...USAGE_STATES, 'sms', 'smsWithoutPrice', ...currencies],
    lines.map(({ name, messages, states, parts, unpricedParts, prices }) => [
      name,
      ...[messages, ...USAGE_STATES.map((state) => states[state]), parts, unpricedParts].map(String),
      ...currencies.map((currency) => amountText(prices.get(currency) ?? 0n)),
    ]),
  );
}

/** Returns the currencies in alphabetical order. */
export function listCurrencies(lines: readonly Pick<UsageLine, 'prices'>[]): readonly string[] {
  return [...new Set(lines.flatMap(({ prices }) => [...prices.keys()]))].sort();
}
