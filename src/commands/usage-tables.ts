import { amountText } from '../delivery';
import { USAGE_STATES, type UsageGroup, type UsageLine, type UsageReport } from '../usage';
import { csvTable, jsonLine, textTable } from './tables';

/** What a report is about. */
export interface UsageHead {
  readonly month: string;
  readonly by: UsageGroup;
  readonly timeZone: string;
}

/** A line for each group and one for all, for the terminal, with their line ends. */
export function usageTable(
  { lines, total, unpricedCountries }: UsageReport,
  { month, by, timeZone }: UsageHead,
): string {
  const head = `Messages of ${month} (${timeZone}) by ${by}`;
  if (lines.length === 0) return `${head}: there are none.\n`;
  const rows = [
    ...lines.map((line) => [line.name === '' ? '(none)' : line.name, ...numbers(line)]),
    ['total', ...numbers(total)],
  ];
  const table = textTable([by, 'messages', ...USAGE_STATES, 'SMS', 'price'], rows, 1);
  return `${[head, table, ...withoutPrice(total, unpricedCountries)].join('\n')}\n`;
}

function numbers({ messages, states, parts, prices }: UsageLine): readonly string[] {
  const counts = [messages, ...USAGE_STATES.map((state) => states[state]), parts];
  const price = currenciesOf([{ prices }]).map(
    (currency) => `${amountText(prices.get(currency) ?? 0n)} ${currency}`,
  );
  return [...counts.map((count) => count.toLocaleString('en')), price.join(' + ')];
}

function withoutPrice({ unpricedParts }: UsageLine, countries: readonly string[]): readonly string[] {
  if (unpricedParts === 0) return [];
  const named = countries.map((country) => (country === '' ? 'countries that are not known' : country));
  return [
    `Without the price of ${unpricedParts.toLocaleString('en')} SMS: DELIVERY_FILE has no smsPrices for ${named.join(', ')}.`,
  ];
}

/** A JSON object on a line for each group. */
export function usageJson({ lines }: UsageReport, { month, by }: UsageHead): string {
  return lines
    .map((line) =>
      jsonLine({
        month,
        [by]: line.name === '' ? null : line.name,
        messages: line.messages,
        ...line.states,
        sms: line.parts,
        prices: Object.fromEntries(
          currenciesOf([line]).map((currency) => [currency, amountText(line.prices.get(currency) ?? 0n)]),
        ),
        smsWithoutPrice: line.unpricedParts,
      }),
    )
    .join('');
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

function currenciesOf(lines: readonly Pick<UsageLine, 'prices'>[]): readonly string[] {
  return [...new Set(lines.flatMap(({ prices }) => [...prices.keys()]))].sort();
}
