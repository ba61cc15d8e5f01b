import { type Command, InvalidArgumentError, Option } from 'commander';

import { deliveryCsv, deliveryLines, isoTime, matchOf, recipientOf } from '../admin/reports/records';
import {
  adviceOn,
  ATTEMPT_COLUMNS,
  attemptCells,
  factsOf,
  REASON_COLUMNS,
  reasonCells,
} from '../admin/reports/message-facts';
import {
  ANY_AGE,
  filterOf,
  type MessageNaming,
  newerThanOf,
  NOT_OF_CODES,
  windowText,
} from '../admin/reports/message-filter';
import { readSettings } from '../config';
import {
  type AttemptRecord,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryRecord,
  MESSAGE_CHANNELS,
  MESSAGE_STATES,
  type PushCount,
  REASON_CODES,
  type Store,
} from '../store';
import { OperatorError } from '../support/errors';
import { numberText, shown, textTable } from '../support/text';
import { commandOf, type Host, onStore } from './run-command';

/** Gives a command the options by which messages are named. */
function withFilters(target: Command): Command {
  return target
    .addOption(
      new Option('--phone <number>', 'only codes for this number, however it is written').conflicts([
        ...NOT_OF_CODES,
      ]),
    )
    .option('--class <id>', 'only requests for this class; with --channel push, their push messages')
    .option('--note <id>', 'only requests for this note; with --channel push, their push messages')
    .option('--student <id>', 'only push messages to the devices that this student has now')
    .option('--school <url>', 'only those of this school')
    .option('--request <id>', 'only the push messages of this request')
    .addOption(new Option('--reason <code>', 'only those for this reason').choices(REASON_CODES))
    .addOption(new Option('--state <state>', 'only those in this state').choices(MESSAGE_STATES))
    .addOption(new Option('--channel <channel>', 'only those of this channel').choices(MESSAGE_CHANNELS))
    .option(
      '--newer-than <age>',
      `only those newer than this: an age such as 90s, 10m, 2h, 1d, a time such as 2026-11-23T04:00Z, or ${ANY_AGE}; ` +
        'unless given, 24h, and any with ids, --phone, --student, --request or --older-than',
    )
    .option('--older-than <age>', 'only those older than this age or time');
}

/** @throws OperatorError where a number or a time is none */
function filterFor(naming: MessageNaming, env: Host['env']): DeliveryFilter {
  const country = naming.phone === undefined ? undefined : readSettings(env).config.DEFAULT_COUNTRY;
  return filterOf(naming, { country, now: Date.now() });
}

const DELIVERY_COLUMNS = ['id', 'channel', 'state', 'to', 'created', 'attempts'];

/** A page of messages for the terminal, a line each; telephone numbers are masked. */
function deliveryTable(page: DeliveryPage, naming: MessageNaming, filter: DeliveryFilter): string {
  const { messages } = page;
  const isMasked = messages.some((message) => matchOf(message, filter) === 'masked');
  return [
    messages.length === 0 ? 'No messages match.' : messageTable(messages, filter),
    ...(isMasked ? ['masked: only what is left of the number is the same; it may be another one.'] : []),
    ...whereToLook(page, naming),
  ].join('\n');
}

/** Which time was looked through, where the options name none, and how the next page is asked for. */
function whereToLook({ next }: DeliveryPage, naming: MessageNaming): readonly string[] {
  const isUsual = naming.newerThan === undefined && newerThanOf(naming) !== ANY_AGE;
  return [
    ...(isUsual ? [`Messages ${windowText(naming)}. For older ones: --newer-than 7d, or ${ANY_AGE}`] : []),
    ...(next === undefined ? [] : [`There may be more: --before ${next}`]),
  ];
}

function messageTable(messages: readonly DeliveryRecord[], filter: DeliveryFilter = {}): string {
  const { phone, classId, note, student, school } = filter;
  // Ids of classes, notes and students are each school's own.
  const isOfAnySchool = school === undefined && [classId, note, student].some((each) => each !== undefined);
  const more: Readonly<Record<string, (message: DeliveryRecord) => string>> = {
    ...(phone !== undefined && { match: (message) => matchOf(message, filter) ?? '' }),
    ...(isOfAnySchool && { school: (message) => message.school }),
  };
  const rows = messages.map((message) => {
    const { id, channel, state, createdAt, attempts, reason } = message;
    return [
      ...[id, channel, state, recipientOf(message), isoTime(createdAt), String(attempts)],
      ...Object.values(more).map((cell) => cell(message)),
      ...reasonCells(reason),
    ];
  });
  const columns = [...DELIVERY_COLUMNS, ...Object.keys(more)];
  return textTable([...columns, ...REASON_COLUMNS], rows, columns.length + 2);
}

/**
 * Everything about one message: a line for each fact, what that means and what to do, and then each attempt to deliver
 * it; callers choose some of the texts.
 *
 * @param now - milliseconds since 1970 UTC
 */
function deliveryDetails(message: DeliveryRecord, attempts: readonly AttemptRecord[], now: number): string {
  return [
    factLines(message),
    adviceOn(message, now),
    ...(attempts.length === 0 ? [] : [attemptTable(attempts)]),
  ].join('\n\n');
}

/**
 * Everything about one request: a line for each fact, what that means and what to do; then what became of how many of
 * its push messages and why, and then the messages themselves.
 *
 * @param pushes - all of them, or as many as are to be listed
 * @param now - milliseconds since 1970 UTC
 */
function requestDetails(
  request: DeliveryRecord,
  counts: readonly PushCount[],
  pushes: readonly DeliveryRecord[],
  now: number,
): string {
  const story = [factLines(request), adviceOn(request, now)];
  if (counts.length === 0) return story.join('\n\n');
  const left = counts.reduce((sum, { messages }) => sum + messages, -pushes.length);
  return [
    ...story,
    textTable(
      ['push messages', 'state', ...REASON_COLUMNS],
      counts.map(({ messages, state, reason }) => [numberText(messages), state, ...reasonCells(reason)]),
      4,
    ),
    [messageTable(pushes), ...(left > 0 ? [`and ${numberText(left)} more`] : [])].join('\n'),
  ].join('\n\n');
}

function factLines(message: DeliveryRecord): string {
  return factsOf(message)
    .map(([name, value]) => `${name.padEnd(18)}  ${shown(value)}`)
    .join('\n');
}

function attemptTable(attempts: readonly AttemptRecord[]): string {
  return textTable(ATTEMPT_COLUMNS, attempts.map(attemptCells), ATTEMPT_COLUMNS.length);
}

/** Push messages of a request that are listed. */
const MOST_PUSHES = 1000;

interface ListOptions extends MessageNaming {
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
    .action((ids: readonly string[], options: MessageNaming) =>
      change(host, 'queued again', ids, options, (store, filter) =>
        store.deliveries.retry(filter, Date.now()),
      ),
    );

  withFilters(command.command('cancel'))
    .description('takes queued messages out of the queue')
    .argument('[ids...]', 'messages; without any, those that the options name')
    .action((ids: readonly string[], options: MessageNaming) =>
      change(host, 'cancelled', ids, options, (store, filter) => store.deliveries.cancel(filter, Date.now())),
    );

  return command;
}

async function list(host: Host, { limit, before, json, csv, ...naming }: ListOptions): Promise<void> {
  const filter = filterFor(naming, host.env);
  const page = await onStore(host, (store) => store.deliveries.page(filter, limit, before));
  if (json !== true && csv !== true) {
    host.stdout.write(`${deliveryTable(page, naming, filter)}\n`);
    return;
  }
  host.stdout.write((json === true ? deliveryLines : deliveryCsv)(page.messages, filter));
  for (const line of whereToLook(page, naming)) host.stderr.write(`${line}\n`);
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
  options: MessageNaming,
  act: (store: Store, filter: DeliveryFilter) => Promise<number>,
): Promise<void> {
  const naming = { ...options, ...(ids.length > 0 && { ids }) };
  if (Object.keys(naming).length === 0) {
    throw new OperatorError('Name messages, or an option that says which are meant.');
  }
  const filter = filterFor(naming, host.env);
  await print(host, async (store) => {
    const time = ids.length > 0 ? '' : ` (messages ${windowText(naming)})`;
    return `${numberText(await act(store, filter))} ${done}${time}`;
  });
}

async function print(host: Host, work: (store: Store) => Promise<string>): Promise<void> {
  host.stdout.write(`${await onStore(host, work)}\n`);
}

function mostMessages(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.');
  return Number(text);
}
