import { amountText } from '../delivery';
import {
  currenciesOf,
  jsonLine,
  USAGE_COLUMNS,
  usageCells,
  type UsageHead,
  usageName,
  withoutPrice,
} from '../admin/reports';
import type { UsageReport } from '../admin/usage';
import { textTable } from '../support/text';

/** A line for each group and one for all, for the terminal, with their line ends. */
export function usageTable(
  { lines, total, unpricedCountries }: UsageReport,
  { month, by, timeZone }: UsageHead,
): string {
  const head = `Messages of ${month} (${timeZone}) by ${by}`;
  if (lines.length === 0) return `${head}: there are none.\n`;
  const rows = [
    ...lines.map((line) => [usageName(line), ...usageCells(line)]),
    ['total', ...usageCells(total)],
  ];
  const table = textTable([by, ...USAGE_COLUMNS], rows, 1);
  return `${[head, table, ...withoutPrice(total, unpricedCountries)].join('\n')}\n`;
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
