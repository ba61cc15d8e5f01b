import { type Content, html, type Html, NOTHING } from '../../asmx';
import {
  type AttemptRecord,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryRecord,
  type FailureGroup,
  hasGone,
  type Reason,
  reasonText,
  type RecentMessages,
  type Refusal,
  refusalText,
  type Store,
  timeOfMessageId,
} from '../../store';
import { isMaskedPhone } from '../../support/masks';
import { counted, numberText, shown } from '../../support/text';
import type { TimeText } from '../reports/time-text';

/** Something that happened, in words. */
interface TimelineEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly kind: 'good' | 'bad' | 'warn' | 'quiet';
  readonly text: Content;
  /** Address of a page about it. */
  readonly link?: string;
}

/** Returns a list of events, newest first, under their days. */
export function timelinePart(label: string, entries: readonly TimelineEntry[], time: TimeText): Html {
  let day = '';
  const items = entries
    .toSorted((one, other) => other.at - one.at)
    .map(({ at, kind, text, link }) => {
      const [date = '', clock = ''] = time.of(at).split(' ');
      const head = date === day ? NOTHING : html`<li class="day quiet">${date}</li>\n`;
      day = date;
      const when = html`<time datetime="${new Date(at).toISOString()}">${clock}</time>`;
      return html`${head}<li class="${kind}">${link === undefined ? when : html`<a href="${link}">${when}</a>`} <span>${text}</span></li>\n`;
    });
  return html`<ol class="timeline card" aria-label="${label}">\n${items}</ol>\n`;
}

/** Everything known about the codes to a telephone, for one page of its messages. */
export interface PhoneStory {
  readonly messages: readonly DeliveryRecord[];
  readonly attempts: ReadonlyMap<string, readonly AttemptRecord[]>;
  readonly refusals: readonly Refusal[];
  /** Failures of all telephones in the last 24 hours. */
  readonly failures: readonly FailureGroup[];
}

/** Start of a page: at the newest message, before a message, or after one. */
export interface PageStart {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Reads what a page of messages to a telephone needs to tell their story. */
export async function readPhoneStory(
  { deliveries, refusals }: Pick<Store, 'deliveries' | 'refusals'>,
  { phone, state, reason, channel = 'sms', createdAfter, createdBefore }: DeliveryFilter,
  { messages, next }: DeliveryPage,
  { before, after }: PageStart,
  recent: RecentMessages | undefined,
): Promise<PhoneStory> {
  const attempts = await Promise.all(
    messages.map(async ({ id }) => [id, await deliveries.attemptsOf(id)] as const),
  );
  // Each page shows the refusals of its own time.
  const [newest, oldest] = [messages.at(0)?.createdAt, messages.at(-1)?.createdAt];
  const from = after !== undefined ? timeOfMessageId(after) : next === undefined ? undefined : oldest;
  const until =
    before !== undefined
      ? timeOfMessageId(before)
      : after === undefined || next === undefined
        ? undefined
        : newest;
  const isWanted = state === undefined && reason === undefined && channel === 'sms';
  const found = phone === undefined || !isWanted ? [] : await refusals.ofPhone(phone.number);
  return {
    messages,
    attempts: new Map(attempts),
    refusals: found.filter(
      ({ firstAt }) =>
        firstAt >= Math.max(from ?? 0, (createdAfter ?? -1) + 1) &&
        firstAt < Math.min(until ?? Infinity, createdBefore ?? Infinity),
    ),
    failures: recent?.failures ?? [],
  };
}

/** Returns the timeline of the codes to a telephone, refused ones included. */
export function phoneTimeline(story: PhoneStory, time: TimeText, now: number): Html {
  const { messages, refusals } = story;
  if (messages.length + refusals.length === 0) {
    return html`<p>No codes for this number, and none refused in the last 24 hours. If a caller asked for one, the call never arrived, or its number was not valid: see <a href="/requests">Requests</a> and <a href="/callers">Callers</a>.</p>\n`;
  }
  const entries = [
    ...messages.map((message) => messageEntry(message, story, time, now)),
    ...refusals.map((refusal) => refusalEntry(refusal, time)),
  ];
  return timelinePart('Codes for this number', entries, time);
}

function refusalEntry(refusal: Refusal, time: TimeText): TimelineEntry {
  const { times, firstAt, lastAt } = refusal;
  const more = times === 1 ? '' : ` (${counted(times, 'time')} until ${near(lastAt, firstAt, time)})`;
  return { at: firstAt, kind: 'bad', text: html`<strong>refused:</strong> ${refusalText(refusal)}${more}` };
}

function messageEntry(
  message: DeliveryRecord,
  story: PhoneStory,
  time: TimeText,
  now: number,
): TimelineEntry {
  const { id, state, createdAt, recipient, reason } = message;
  const attempts = story.attempts.get(id) ?? [];
  const masked = isMaskedPhone(recipient) ? html` <span class="quiet">(masked number)</span>` : NOTHING;
  const tried = attempts.length < 2 ? '' : ` after ${counted(attempts.length, 'attempt')}`;
  const why = reason === null ? '' : `: ${clause(reason)}`;
  const entry = (kind: TimelineEntry['kind'], words: string, more = ''): TimelineEntry => ({
    ...{ at: createdAt, kind, link: `/messages/${encodeURIComponent(id)}` },
    text: html`<strong>${words}</strong>${shown(more)}${masked}`,
  });
  switch (state) {
    case 'sent':
      return sentEntry(message, attempts.at(-1), time, entry);
    case 'written':
      return entry('warn', 'written to a file, not sent');
    case 'sending':
      return entry('quiet', 'being sent');
    case 'queued':
    case 'open':
      return entry('quiet', 'waiting', `${tried}, ${nextText(message, time, now)}${why}`);
    case 'suppressed':
      return entry('quiet', 'not sent', why);
    case 'failed':
    case 'expired':
    case 'partly':
      return entry('bad', state, `${tried}${why}${othersText(message, story, time)}`);
  }
}

function sentEntry(
  { createdAt, receipt, receiptAt, receiptCode }: DeliveryRecord,
  last: AttemptRecord | undefined,
  time: TimeText,
  entry: (kind: TimelineEntry['kind'], words: string, more?: string) => TimelineEntry,
): TimelineEntry {
  const by = last?.provider == null ? '' : ` by ${last.provider}`;
  const when = receiptAt === null ? '' : ` ${near(receiptAt, createdAt, time)}`;
  switch (receipt) {
    case 'delivered':
      return entry('good', 'sent', `${by}, delivered${when}`);
    case 'undelivered':
      return entry('bad', 'sent', `${by}, not delivered${when}${receiptCode ? ` (${receiptCode})` : ''}`);
    case 'waiting':
      return entry('good', 'sent', `${by}, no receipt yet`);
    case null:
      return entry('good', 'sent', by);
  }
}

/** Returns how many other messages failed for the same reason; empty for none. */
function othersText(
  { channel, state, reason, createdAt }: DeliveryRecord,
  story: PhoneStory,
  time: TimeText,
) {
  const same = story.failures.find(
    (group) =>
      group.channel === channel &&
      group.state === state &&
      JSON.stringify(group.reason) === JSON.stringify(reason),
  );
  if (same === undefined || same.messages < 2) return '';
  return `; ${numberText(same.messages - 1)} others since ${near(same.since, createdAt, time)}`;
}

function nextText({ nextAttemptAt, createdAt }: DeliveryRecord, time: TimeText, now: number): string {
  return nextAttemptAt <= now ? 'due now' : `next attempt ${near(nextAttemptAt, createdAt, time)}`;
}

/** Returns the time of day of a moment on the day of another one, else its date too. */
function near(at: number, other: number, time: TimeText): string {
  const [text, otherText] = [time.of(at), time.of(other)];
  return text.slice(0, 10) === otherText.slice(0, 10) ? text.slice(11) : text;
}

/** Returns a reason's sentence without its full stop, to be continued. */
function clause(reason: Reason): string {
  return reasonText(reason).replace(/\.$/, '');
}

/** Outcomes of attempts whose names are no words. */
const OUTCOMES: Readonly<Record<string, string>> = {
  sent: 'accepted',
  'dead-token': 'refused',
  busy: 'too busy',
  later: 'not accepted for now',
  failing: 'failed',
  stopped: 'account refused',
  unknown: 'no clear answer',
};
const GOOD_OUTCOMES = ['sent', 'written'];

/** Returns the timeline of one message: accepted, each attempt, the receipt, and its end or next attempt. */
export function messageTimeline(
  message: DeliveryRecord,
  attempts: readonly AttemptRecord[],
  time: TimeText,
  now: number,
): Html {
  const { state, createdAt, updatedAt, nextAttemptAt, caller, reason, receipt } = message;
  const entries: TimelineEntry[] = [
    { at: createdAt, kind: 'quiet', text: `accepted${caller === null ? '' : ` from ${shown(caller)}`}` },
    ...attempts.map((attempt): TimelineEntry => ({
      at: attempt.at,
      kind: GOOD_OUTCOMES.includes(attempt.outcome) ? 'good' : 'bad',
      text: attemptText(attempt),
    })),
  ];
  const isTold = attempts.at(-1)?.reason?.code === reason?.code;
  if (hasGone(state) && receipt !== null && receipt !== 'waiting') {
    const code = message.receiptCode ? ` (${message.receiptCode})` : '';
    const kind = receipt === 'delivered' ? 'good' : 'bad';
    const text = html`<strong>${receipt === 'delivered' ? 'delivered' : 'not delivered'}</strong>${shown(code)}`;
    entries.push({ at: message.receiptAt ?? updatedAt, kind, text });
  } else if (state === 'queued' && nextAttemptAt > now) {
    entries.push({ at: nextAttemptAt, kind: 'quiet', text: 'next attempt' });
  } else if (['failed', 'expired', 'suppressed'].includes(state) && !isTold) {
    const why = reason === null ? '' : `: ${reasonText(reason)}`;
    entries.push({ at: updatedAt, kind: 'bad', text: html`<strong>${state}</strong>${shown(why)}` });
  }
  return timelinePart('Timeline', entries, time);
}

function attemptText({
  number,
  provider,
  outcome,
  reason,
  milliseconds,
  parts,
  providerId,
}: AttemptRecord): Html {
  const by = provider === null ? '' : ` by ${provider}`;
  const more = [
    ...(milliseconds === null ? [] : [`${(milliseconds / 1000).toFixed(2)} s`]),
    ...(parts === null ? [] : [counted(parts, 'part')]),
    ...(providerId === null ? [] : [`id ${providerId}`]),
  ];
  const why = reason === null ? '' : ` ${reasonText(reason)}`;
  const quiet = more.length === 0 ? NOTHING : html` <span class="quiet">${shown(more.join(', '))}</span>`;
  return html`attempt ${numberText(number)}${shown(by)}: <strong>${OUTCOMES[outcome] ?? shown(outcome)}</strong>.${shown(why)}${quiet}`;
}
