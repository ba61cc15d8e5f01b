import { type Command, InvalidArgumentError, Option } from 'commander';

import { OperatorError } from '../support/errors';
import { deliveryCsv, deliveryLines } from '../admin/reports';
import type { DeliveryFilter, DeliveryRecord, Store } from '../store';
import { numberText } from '../support/text';
import { filterOf, type FilterOptions, withFilters } from './delivery-options';
import { deliveryDetails, deliveryTable, olderOnes, requestDetails } from './delivery-tables';
import { commandOf, type Host, onStore } from './run-command';

/** Push messages of a request that are listed. */
const MOST_PUSHES = 1000;

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly before?: string;
  readonly json?: true;
  readonly csv?: true;
}

/** `school-notifications deliveries list|show|retry|cancel` */
export function deliveries(host: Host): Command {
  const command = commandOf('deliveries', host).description(
    'Shows what is to be sent, what was sent and what failed, and why; tries messages again, or cancels them. ' +
      'The service may be running meanwhile.',
  );

  withFilters(command.command('list'))
    .description('lists messages, the newest first; docs/delivery.md says what the fields are')
    .option('--limit <n>', 'most messages', mostMessages, 50)
    .option('--before <id>', 'only those older than this message: the next page')
    .addOption(new Option('--json', 'an object in JSON a line').conflicts('csv'))
    .option('--csv', 'as CSV')
    .action((options: ListOptions) => list(host, options));

  command
    .command('show')
    .description(
      'shows everything about one message: of a request its push messages, of the others every attempt',
    )
    .argument('<id>')
    .action((id: string) =>
      print(host, async (store) => {
        const [message] = await store.deliveries.list({ ids: [id] }, 1);
        if (message !== undefined) return describe(store, message);
        host.exitCode = 1;
        return 'There is no message of that id.';
      }),
    );

  withFilters(command.command('retry'))
    .description(
      'queues failed, expired and suppressed messages again; codes only while they are worth something',
    )
    .argument('[ids...]', 'messages; without any, those that the options name')
    .action((ids: readonly string[], options: FilterOptions) =>
      change(host, 'queued again', ids, options, (store, filter) =>
        store.deliveries.retry(filter, Date.now()),
      ),
    );

  withFilters(command.command('cancel'))
    .description('takes queued messages out of the queue')
    .argument('[ids...]', 'messages; without any, those that the options name')
    .action((ids: readonly string[], options: FilterOptions) =>
      change(host, 'cancelled', ids, options, (store, filter) => store.deliveries.cancel(filter, Date.now())),
    );

  return command;
}

async function list(host: Host, { limit, before, json, csv, ...options }: ListOptions): Promise<void> {
  const filter = filterOf(options, host.env);
  const page = await onStore(host, (store) => store.deliveries.page(filter, limit, before));
  if (json !== true && csv !== true) {
    host.stdout.write(`${deliveryTable(page, filter)}\n`);
    return;
  }
  host.stdout.write((json === true ? deliveryLines : deliveryCsv)(page.messages, filter));
  if (page.next !== undefined) host.stderr.write(`${olderOnes(page.next)}\n`);
}

async function describe({ deliveries }: Store, message: DeliveryRecord): Promise<string> {
  const { id, channel } = message;
  if (channel !== 'mark') return deliveryDetails(message, await deliveries.attemptsOf(id), Date.now());
  const counts = await deliveries.pushCounts(id);
  return requestDetails(message, counts, await deliveries.list({ request: id }, MOST_PUSHES), Date.now());
}

async function change(
  host: Host,
  done: string,
  ids: readonly string[],
  options: FilterOptions,
  act: (store: Store, filter: DeliveryFilter) => Promise<number>,
): Promise<void> {
  const filter = { ...filterOf(options, host.env), ...(ids.length > 0 && { ids }) };
  if (Object.keys(filter).length === 0) {
    throw new OperatorError('Name messages, or an option that says which are meant.');
  }
  await print(host, async (store) => `${numberText(await act(store, filter))} ${done}`);
}

async function print(host: Host, work: (store: Store) => Promise<string>): Promise<void> {
  host.stdout.write(`${await onStore(host, work)}\n`);
}

function mostMessages(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.');
  return Number(text);
}
