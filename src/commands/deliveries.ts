import { Command, InvalidArgumentError, Option } from 'commander';

import type { DeliveryFilter, DeliveryRecord, Store } from '../store';
import { filterOf, type FilterOptions, withFilters } from './delivery-options';
import { deliveryCsv, deliveryLines } from './delivery-records';
import { deliveryDetails, deliveryTable, olderOnes, requestDetails } from './delivery-tables';
import { onStore, runCommand } from './run-command';

/** Push messages of a request that are listed. */
const MOST_PUSHES = 1000;

/** `npm run deliveries -- list|show|retry|cancel` */
const command = new Command('deliveries').description(
  'Shows what is to be sent, what was sent and what failed, and why; tries messages again, or cancels them. ' +
    'The service may be running meanwhile.',
);

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly before?: string;
  readonly json?: true;
  readonly csv?: true;
}

withFilters(command.command('list'))
  .description('lists messages, the newest first; docs/delivery.md says what the fields are')
  .option('--limit <n>', 'most messages', mostMessages, 50)
  .option('--before <id>', 'only those older than this message: the next page')
  .addOption(new Option('--json', 'an object in JSON a line').conflicts('csv'))
  .option('--csv', 'as CSV')
  .action(list);

command
  .command('show')
  .description(
    'shows everything about one message: of a request its push messages, of the others every attempt',
  )
  .argument('<id>')
  .action((id: string) =>
    print(async (store) => {
      const [message] = await store.deliveries.list({ ids: [id] }, 1);
      if (message !== undefined) return describe(store, message);
      process.exitCode = 1;
      return 'There is no message of that id.';
    }),
  );

withFilters(command.command('retry'))
  .description(
    'queues failed, expired and suppressed messages again; codes only while they are worth something',
  )
  .argument('[ids...]', 'messages; without any, those that the options name')
  .action((ids: readonly string[], options: FilterOptions) =>
    change('queued again', ids, options, (store, filter) => store.deliveries.retry(filter, Date.now())),
  );

withFilters(command.command('cancel'))
  .description('takes queued messages out of the queue')
  .argument('[ids...]', 'messages; without any, those that the options name')
  .action((ids: readonly string[], options: FilterOptions) =>
    change('cancelled', ids, options, (store, filter) => store.deliveries.cancel(filter, Date.now())),
  );

async function list({ limit, before, json, csv, ...options }: ListOptions): Promise<void> {
  const filter = filterOf(options);
  const page = await onStore((store) => store.deliveries.page(filter, limit, before));
  if (json !== true && csv !== true) {
    process.stdout.write(`${deliveryTable(page, filter)}\n`);
    return;
  }
  process.stdout.write((json === true ? deliveryLines : deliveryCsv)(page.messages, filter));
  if (page.next !== undefined) process.stderr.write(`${olderOnes(page.next)}\n`);
}

async function describe({ deliveries }: Store, message: DeliveryRecord): Promise<string> {
  const { id, channel } = message;
  if (channel !== 'mark') return deliveryDetails(message, await deliveries.attemptsOf(id));
  const counts = await deliveries.pushCounts(id);
  return requestDetails(message, counts, await deliveries.list({ request: id }, MOST_PUSHES));
}

async function change(
  done: string,
  ids: readonly string[],
  options: FilterOptions,
  act: (store: Store, filter: DeliveryFilter) => Promise<number>,
): Promise<void> {
  const filter = { ...filterOf(options), ...(ids.length > 0 && { ids }) };
  if (Object.keys(filter).length === 0) {
    command.error('Name messages, or an option that says which are meant.');
  }
  await print(async (store) => `${(await act(store, filter)).toLocaleString('en')} ${done}`);
}

async function print(work: (store: Store) => Promise<string>): Promise<void> {
  process.stdout.write(`${await onStore(work)}\n`);
}

function mostMessages(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.');
  return Number(text);
}

void runCommand(command);
