import { englishText } from '../support/phrase';
import { type Command, InvalidArgumentError, Option } from 'commander';

import {
  type Action,
  change as changeMessages,
  type Plan,
  planChange,
} from '../admin/console/message-changes';
import { recordAction } from '../admin/login/actions';
import {
  deliveryCsv,
  deliveryLines,
  matchKind,
  receiptPhrase,
  shownRecipient,
} from '../admin/reports/records';
import {
  adviceOn,
  ATTEMPT_COLUMNS,
  attemptCells,
  type Fact,
  listFacts,
  REASON_COLUMNS,
  reasonCells,
} from '../admin/reports/message-facts';
import {
  ANY_AGE,
  toFilter,
  type MessageNaming,
  defaultAge,
  NOT_OF_CODES,
  windowSentence,
} from '../admin/reports/message-filter';
import { TimeText } from '../admin/reports/time-text';
import { type Moment, reasonWithTimes, waitingSentence } from '../admin/reports/waiting-text';
import { readSettings } from '../config';
import {
  type AttemptRecord,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryRecord,
  keyForm,
  MESSAGE_CHANNELS,
  STATE_CHOICES,
  type PushCount,
  REASON_CODES,
  RECEIPT_CHOICES,
  type Refusal,
  refusalSentence,
  type Store,
} from '../store';
import { OperatorError } from '../support/errors';
import { counted, numberText, shown, textTable } from '../support/text';
import { createCommand, type Host, onStore } from './run-command';

function withFilters(target: Command): Command {
  return target
    .addOption(
      new Option('--phone <number>', 'codes for this phone number, in any format').conflicts([
        ...NOT_OF_CODES,
      ]),
    )
    .option('--class <id>', 'mark notes for this class; with --channel push, their push messages')
    .option('--note <id>', 'mark notes with this note id; with --channel push, their push messages')
    .option('--student <id>', 'push messages to the current devices of this student')
    .option('--school <url>', 'messages of this school')
    .option('--request <id>', 'push messages of this mark note')
    .addOption(new Option('--reason <code>', 'messages with this reason').choices(REASON_CODES))
    .addOption(new Option('--receipt <state>', 'SMS with this receipt, or without').choices(RECEIPT_CHOICES))
    .addOption(new Option('--state <state>', 'messages in this state').choices(STATE_CHOICES))
    .addOption(new Option('--channel <channel>', 'messages on this channel').choices(MESSAGE_CHANNELS))
    .option(
      '--newer-than <age>',
      `messages newer than an age (90s, 10m, 2h, 1d), a time (2026-11-23T04:00Z) or ${ANY_AGE}. ` +
        `Default: 24h; ${ANY_AGE} with ids, --phone, --student, --request or --older-than`,
    )
    .option('--older-than <age>', 'messages older than this age or time');
}

/** @throws OperatorError if a phone number or a time is not valid */
function filterFor(naming: MessageNaming, env: Host['env']): DeliveryFilter {
  const { DEFAULT_COUNTRY: country, KEY_COLLATION: keys } = readSettings(env).config;
  return toFilter(naming, { country, keyForm: keyForm(keys.fold), now: Date.now() });
}

/** Returns a page of messages for the terminal, one per line; phone numbers are masked. */
function deliveryTable(
  page: DeliveryPage,
  naming: MessageNaming,
  filter: DeliveryFilter,
  moment: Moment,
  time: TimeText,
): string {
  const { messages } = page;
  const isMasked = messages.some((message) => matchKind(message, filter) === 'masked');
  return [
    messages.length === 0 ? 'No messages match.' : messageTable(messages, time, moment, filter),
    ...(isMasked ? ['masked: only the visible digits of the number match; it may be another number.'] : []),
    ...whereToLook(page, naming),
  ].join('\n');
}

/** Returns hints: the default time window, where it applies, and the option for the next page. */
function whereToLook({ next }: DeliveryPage, naming: MessageNaming): readonly string[] {
  const isUsual = naming.newerThan === undefined && defaultAge(naming) !== ANY_AGE;
  return [
    ...(isUsual
      ? [`Messages ${englishText(windowSentence(naming))}. Older: --newer-than 7d, or ${ANY_AGE}`]
      : []),
    ...(next === undefined ? [] : [`More: --before ${next}`]),
  ];
}

function messageTable(
  messages: readonly DeliveryRecord[],
  time: TimeText,
  moment: Moment,
  filter: DeliveryFilter = {},
): string {
  const { phone, classId, note, student, school } = filter;
  // Ids of classes, notes and students are only unique within a school.
  const isOfAnySchool = school === undefined && [classId, note, student].some((each) => each !== undefined);
  const more: Readonly<Record<string, (message: DeliveryRecord) => string>> = {
    ...(phone !== undefined && { match: (message) => matchKind(message, filter) ?? '' }),
    ...(isOfAnySchool && { school: (message) => message.school }),
  };
  const rows = messages.map((message) => {
    const { id, channel, createdAt, attempts, reason } = message;
    const why = waitingSentence(message, moment, time) ?? (reason && reasonWithTimes(reason, moment, time));
    const receipt = receiptPhrase(message, time);
    const state = receipt === null ? message.state : `${message.state}, ${englishText(receipt)}`;
    return [
      ...[id, channel, state, shownRecipient(message), time.of(createdAt), String(attempts)],
      ...Object.values(more).map((cell) => cell(message)),
      ...[reason?.code ?? '', why === null ? '' : englishText(why)],
    ];
  });
  const columns = [
    'id',
    'channel',
    'state',
    'to',
    `created (${time.zone})`,
    'attempts',
    ...Object.keys(more),
  ];
  return textTable([...columns, ...REASON_COLUMNS], rows, columns.length + 2);
}

/**
 * Returns everything about one message: a line for each fact, advice, and each delivery attempt.
 */
function deliveryDetails(
  message: DeliveryRecord,
  attempts: readonly AttemptRecord[],
  moment: Moment,
  time: TimeText,
): string {
  return [
    factLines(message, time),
    adviceOn(message, moment, time).map(englishText).join(' '),
    ...(attempts.length === 0 ? [] : [attemptTable(attempts, time)]),
  ].join('\n\n');
}

/**
 * Returns everything about one mark note: a line for each fact, advice, its push messages counted by state
 * and reason, and then the push messages themselves.
 *
 * @param pushes - all of them, or as many as will be listed
 */
function requestDetails(
  request: DeliveryRecord,
  counts: readonly PushCount[],
  pushes: readonly DeliveryRecord[],
  moment: Moment,
  time: TimeText,
): string {
  const story = [factLines(request, time), adviceOn(request, moment, time).map(englishText).join(' ')];
  if (counts.length === 0) return story.join('\n\n');
  const left = counts.reduce((sum, { messages }) => sum + messages, -pushes.length);
  return [
    ...story,
    textTable(
      ['push messages', 'state', ...REASON_COLUMNS],
      counts.map(({ messages, state, reason }) => [numberText(messages), state, ...reasonCells(reason)]),
      4,
    ),
    [messageTable(pushes, time, moment), ...(left > 0 ? [`and ${numberText(left)} more`] : [])].join('\n'),
  ].join('\n\n');
}

function factLines(message: DeliveryRecord, time: TimeText): string {
  return [...listFacts(message), ['time zone', time.zone] as const]
    .map(([name, value]) => `${name.padEnd(18)}  ${factText(value, time)}`)
    .join('\n');
}

function factText(value: Fact, time: TimeText): string {
  return value instanceof Date ? time.of(value.getTime()) : shown(value);
}

function attemptTable(attempts: readonly AttemptRecord[], time: TimeText): string {
  const rows = attempts.map((attempt) => attemptCells(attempt).map((cell) => factText(cell, time)));
  return textTable(ATTEMPT_COLUMNS, rows, ATTEMPT_COLUMNS.length);
}

/** Maximum number of push messages listed for a mark note. */
const MAX_PUSHES = 1000;

interface RetryOptions extends MessageNaming {
  readonly dryRun?: true;
  readonly perhapsSent?: true;
}

interface ListOptions extends MessageNaming {
  readonly limit: number;
  readonly before?: string;
  readonly json?: true;
  readonly csv?: true;
}

/** `school-notifications deliveries list|show|retry|cancel` */
export function deliveries(host: Host): Command {
  const command = createCommand('deliveries', host).description(
    'Lists messages and explains what happened to them; retries or cancels them. The service may be running.',
  );

  withFilters(command.command('list'))
    .description('List messages, newest first.')
    .option('--limit <n>', 'maximum number of messages', maxMessages, 50)
    .option('--before <id>', 'messages older than this one (next page)')
    .addOption(new Option('--json', 'print one JSON object per line').conflicts('csv'))
    .option('--csv', 'print CSV')
    .action((options: ListOptions) => list(host, options));

  command
    .command('show')
    .description('Show one message in detail, with its attempts or, for a mark note, its push messages.')
    .argument('<id>', 'message id')
    .action((id: string) =>
      print(host, async (store) => {
        const [message] = await store.deliveries.list({ ids: [id] }, 1);
        if (message !== undefined) return describe(store, message, timeText(host));
        host.exitCode = 1;
        return 'No message has this id.';
      }),
    );

  withFilters(command.command('retry'))
    .description(
      'Queue failed, expired and suppressed messages again. Left out: expired codes, and SMS that the gateway may have sent.',
    )
    .argument('[ids...]', 'message ids; if none, the options select the messages')
    .option('--dry-run', 'print what would be queued again and what is left out; change nothing')
    .option('--perhaps-sent', 'also SMS that the gateway may have sent already: the recipient may get two')
    .action((ids: readonly string[], { dryRun, perhapsSent, ...naming }: RetryOptions) =>
      change(host, 'retry', ids, naming, { dryRun, again: perhapsSent }),
    );

  withFilters(command.command('cancel'))
    .description('Remove waiting messages from the queue.')
    .argument('[ids...]', 'message ids; if none, the options select the messages')
    .action((ids: readonly string[], options: MessageNaming) => change(host, 'cancel', ids, options, {}));

  return command;
}

async function list(host: Host, { limit, before, json, csv, ...naming }: ListOptions): Promise<void> {
  const filter = filterFor(naming, host.env);
  const now = Date.now();
  const { page, holds, refusals } = await onStore(host, async (store) => ({
    page: await store.deliveries.page(filter, limit, { before }),
    holds: await store.workers.holds(now),
    refusals: filter.phone === undefined ? [] : await store.refusals.ofPhone(filter.phone.number),
  }));
  const [moment, time] = [{ now, holds }, timeText(host)];
  if (json !== true && csv !== true) {
    host.stdout.write(`${deliveryTable(page, naming, filter, moment, time)}\n`);
    // The page of the number shows them as well.
    for (const refusal of refusals) host.stdout.write(`${refusalLine(refusal, time)}\n`);
    return;
  }
  host.stdout.write((json === true ? deliveryLines : deliveryCsv)(page.messages, { filter, moment, time }));
  for (const line of whereToLook(page, naming)) host.stderr.write(`${line}\n`);
}

/** Returns a line about codes that were refused for one reason within an hour. */
function refusalLine({ times, firstAt, lastAt, ...rule }: Refusal, time: TimeText): string {
  const more = times === 1 ? '' : ` (${numberText(times)} times until ${time.near(lastAt, firstAt)})`;
  return `refused ${time.of(firstAt)}: ${englishText(refusalSentence(rule))}${more}`;
}

async function describe(
  { deliveries, workers }: Store,
  message: DeliveryRecord,
  time: TimeText,
): Promise<string> {
  const { id, channel } = message;
  const now = Date.now();
  const moment = { now, holds: await workers.holds(now) };
  if (channel !== 'mark') return deliveryDetails(message, await deliveries.listAttempts(id), moment, time);
  const counts = await deliveries.pushCounts(id);
  const pushes = await deliveries.list({ request: id }, MAX_PUSHES);
  return requestDetails(message, counts, pushes, moment, time);
}

function timeText({ env }: Host): TimeText {
  return new TimeText(readSettings(env).config.TIME_ZONE);
}

const DONE = { retry: 'Requeued', cancel: 'Cancelled' } as const satisfies Readonly<Record<Action, string>>;

async function change(
  host: Host,
  action: Action,
  ids: readonly string[],
  options: MessageNaming,
  {
    dryRun,
    again = false,
  }: { readonly dryRun?: true | undefined; readonly again?: true | undefined | false },
): Promise<void> {
  const naming = { ...options, ...(ids.length > 0 && { ids }) };
  if (Object.keys(naming).length === 0) {
    throw new OperatorError('Give message ids, or an option that selects messages.');
  }
  const filter = filterFor(naming, host.env);
  await print(host, async (store) => {
    const time = ids.length > 0 ? '' : ` ${englishText(windowSentence(naming))}`;
    const now = Date.now();
    const plan = action === 'retry' ? await planChange(store, action, filter, now, Infinity) : undefined;
    const left = plan === undefined ? '' : leftOut(plan, again);
    if (dryRun === true && plan !== undefined) {
      const messages = plan.messages - (again ? 0 : plan.perhapsSent);
      return `Would requeue ${counted(messages, 'message')}${time}.${left} Nothing was changed.`;
    }
    const messages =
      plan === undefined
        ? await store.deliveries.cancel(filter, now)
        : await changeMessages(store, action, filter, now, again, Infinity);
    const by = Object.keys(naming).join(', ');
    await recordAction(store, { who: 'command line', action, detail: { messages, by } });
    return `${DONE[action]} ${counted(messages, 'message')}${time}.${left}`;
  });
}

/** Says what a retry leaves out; empty for nothing. */
function leftOut({ leftOut: expired, perhapsSent }: Plan, again: boolean): string {
  const parts = [
    ...(expired === 0 ? [] : [counted(expired, 'expired code')]),
    ...(again || perhapsSent === 0 ? [] : [`${numberText(perhapsSent)} SMS that may have been sent`]),
  ];
  return parts.length === 0 ? '' : ` Left out: ${parts.join(', ')}.`;
}

async function print(host: Host, work: (store: Store) => Promise<string>): Promise<void> {
  host.stdout.write(`${await onStore(host, work)}\n`);
}

function maxMessages(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return Number(text);
}
