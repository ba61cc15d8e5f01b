import { Command, InvalidArgumentError, Option } from 'commander';

import { canonicalSchoolUrl, MESSAGE_CHANNELS, MESSAGE_STATES, type Store } from '../store';
import type { DeliveryFilter, DeliveryRecord, MessageChannel, MessageState } from '../store';
import { onStore, runCommand } from './run-command';
import { deliveryDetails, deliveryTable, requestDetails } from './delivery-tables';

interface FilterOptions {
  readonly state?: MessageState;
  readonly channel?: MessageChannel;
  readonly school?: string;
  readonly olderThan?: number;
  readonly newerThan?: number;
}

/** Push messages of a request that are listed. */
const MOST_PUSHES = 1000;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `npm run deliveries -- list|show|retry|cancel` */
const command = new Command('deliveries').description(
  'Shows what is to be sent, what was sent and what failed, and why; tries messages again, or cancels them. ' +
    'The service may be running meanwhile.',
);

withFilters(command.command('list'))
  .description('lists messages, the newest first')
  .option('--limit <n>', 'most messages', mostMessages, 50)
  .action(({ limit, ...options }: FilterOptions & { readonly limit: number }) =>
    print(async (store) => deliveryTable(await store.deliveries.list(filterOf(options), limit))),
  );

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

function withFilters(target: Command): Command {
  return target
    .addOption(new Option('--state <state>', 'only those in this state').choices(MESSAGE_STATES))
    .addOption(new Option('--channel <channel>', 'only those of this channel').choices(MESSAGE_CHANNELS))
    .option('--school <url>', 'only those of this school')
    .option('--older-than <age>', 'only those older than this, such as 90s, 10m, 2h, 1d', age)
    .option('--newer-than <age>', 'only those newer than this', age);
}

function filterOf({ state, channel, school, olderThan, newerThan }: FilterOptions): DeliveryFilter {
  const now = Date.now();
  return {
    ...(state !== undefined && { state }),
    ...(channel !== undefined && { channel }),
    ...(school !== undefined && { school: canonicalSchoolUrl(school) }),
    ...(olderThan !== undefined && { createdBefore: now - olderThan }),
    ...(newerThan !== undefined && { createdAfter: now - newerThan }),
  };
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

function age(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It is a number and s, m, h or d, such as 10m.');
  return Number(count) * (UNITS[unit] ?? 0);
}

function mostMessages(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.');
  return Number(text);
}

void runCommand(command);
