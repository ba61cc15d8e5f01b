import { type Command, InvalidArgumentError, Option } from 'commander';

import { jsonLine } from '../../admin/reports/records';
import { createCommand, type Host, onStore } from '../../cli/run-command';
import { readSettings } from '../../config';
import { Calendar } from '../../support/calendar';
import { OperatorError } from '../../support/errors';
import { englishText } from '../../support/phrase';
import { textTable } from '../../support/text';
import { amountText } from './amounts';
import { DailyUsage } from './daily-usage';
import { readSmsPrices } from './sms-prices';
import { USAGE_GROUPS, type UsageGroup, usageOfMonth, type UsageReport } from './usage-report';
import {
  listCurrencies,
  USAGE_COLUMNS,
  usageCells,
  usageCsv,
  type UsageHead,
  usageName,
  withoutPrice,
} from './usage-text';

function usageTable(
  { lines, total, unpricedCountries }: UsageReport,
  { month, by, timeZone }: UsageHead,
): string {
  const head = `Messages in ${month} (${timeZone}) by ${by}`;
  if (lines.length === 0) return `${head}: none.\n`;
  const rows = [
    ...lines.map((line) => [usageName(line), ...usageCells(line)]),
    ['total', ...usageCells(total)],
  ];
  const table = textTable([by, ...USAGE_COLUMNS], rows, 1);
  return `${[head, table, ...withoutPrice(total, unpricedCountries).map(englishText)].join('\n')}\n`;
}

function usageJson({ lines }: UsageReport, { month, by }: UsageHead): string {
  return lines
    .map((line) =>
      jsonLine({
        month,
        [by]: line.name === '' ? null : line.name,
        messages: line.messages,
        ...line.states,
        sms: line.parts,
        prices: Object.fromEntries(
          listCurrencies([line]).map((currency) => [currency, amountText(line.prices.get(currency) ?? 0n)]),
        ),
        smsWithoutPrice: line.unpricedParts,
      }),
    )
    .join('');
}

interface UsageOptions {
  readonly month?: string;
  readonly by: UsageGroup;
  readonly json?: boolean;
  readonly csv?: boolean;
}

/**
 * `school-notifications usage [--month 2026-11] [--by school|country|channel|gateway|caller|day]
 * [--json|--csv]`
 */
export function usage(host: Host): Command {
  return createCommand('usage', host)
    .description(
      'Counts the messages of a month by result, with the SMS they used and their price. The service may be running.',
    )
    .option('--month <month>', 'month, for example 2026-11 (default: this month)', monthText)
    .addOption(new Option('--by <group>', 'group by').choices(USAGE_GROUPS).default('channel'))
    .addOption(new Option('--json', 'print one JSON object per line').conflicts('csv'))
    .option('--csv', 'print CSV')
    .action(async ({ month, by, json = false, csv = false }: UsageOptions) => {
      const { config } = readSettings(host.env);
      const calendar = new Calendar(config.TIME_ZONE);
      const thisMonth = calendar.dayOf(Date.now()).slice(0, 'YYYY-MM'.length);
      const wanted = { month: month ?? thisMonth, by };
      if (wanted.month > thisMonth) throw new OperatorError(`--month: ${wanted.month} is in the future.`);
      const prices = readSmsPrices(config.DELIVERY_FILE);
      const report = await onStore(host, (store) =>
        usageOfMonth(store.repository(DailyUsage), { ...wanted, calendar, prices }),
      );
      const text = (json && usageJson) || (csv && usageCsv) || usageTable;
      host.stdout.write(text(report, { ...wanted, timeZone: config.TIME_ZONE }));
    });
}

function monthText(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('Expected a year and a month, for example 2026-11.');
  return text;
}
