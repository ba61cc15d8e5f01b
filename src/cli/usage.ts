import { type Command, InvalidArgumentError, Option } from 'commander';

import { readSettings } from '../config';
import { readSmsPrices } from '../delivery';
import { OperatorError } from '../support/errors';
import { usageCsv } from '../admin/reports';
import { Calendar } from '../store';
import { USAGE_GROUPS, type UsageGroup, usageOfMonth } from '../admin/usage';
import { commandOf, type Host, onStore } from './run-command';
import { usageJson, usageTable } from './usage-tables';

interface UsageOptions {
  readonly month?: string;
  readonly by: UsageGroup;
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** `school-notifications usage [--month 2026-11] [--by school|country|channel|caller|day] [--json|--csv]` */
export function usage(host: Host): Command {
  return commandOf('usage', host)
    .description(
      'Counts the messages of a month by what became of them, and the SMS that they took, with their price. ' +
        'The service may be running meanwhile.',
    )
    .option(
      '--month <month>',
      'in which they were taken on, such as 2026-11 (default: this month)',
      monthText,
    )
    .addOption(
      new Option('--by <group>', 'what they are told apart by').choices(USAGE_GROUPS).default('channel'),
    )
    .addOption(new Option('--json', 'prints a JSON object on each line').conflicts('csv'))
    .option('--csv', 'prints CSV')
    .action(async ({ month, by, json = false, csv = false }: UsageOptions) => {
      const { config } = readSettings(host.env);
      const calendar = new Calendar(config.TIME_ZONE);
      const thisMonth = calendar.dayOf(Date.now()).slice(0, 'YYYY-MM'.length);
      const wanted = { month: month ?? thisMonth, by };
      if (wanted.month > thisMonth) throw new OperatorError(`The month ${wanted.month} has not begun.`);
      const prices = readSmsPrices(config.DELIVERY_FILE);
      const report = await onStore(host, (store) => usageOfMonth(store, { ...wanted, calendar, prices }));
      const text = (json && usageJson) || (csv && usageCsv) || usageTable;
      host.stdout.write(text(report, { ...wanted, timeZone: config.TIME_ZONE }));
    });
}

function monthText(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('It is a year and a month, such as 2026-11.');
  return text;
}
