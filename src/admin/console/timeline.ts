import { type Content, html, type Html, NOTHING } from '../../support/html';
import {
  type AttemptRecord,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryRecord,
  type FailureGroup,
  hasGone,
  type Holds,
  holdSentence,
  holdsDuring,
  isSamePhone,
  type SentCode,
  type PageStart,
  reasonSentence,
  type RecentMessages,
  type Refusal,
  refusalSentence,
  type Store,
  timeOfMessageId,
} from '../../store';
import { isMaskedPhone } from '../../support/masks';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../support/durations';
import { shown } from '../../support/text';
import { receiptPhrase } from '../reports/records';
import { duration } from '../reports/duration';
import { type Moment, reasonWithTimes, waitingSentence } from '../reports/waiting-text';
import type { Text, Words } from '../texts/words';

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
function timelinePart(label: string, entries: readonly TimelineEntry[], words: Words): Html {
  let day = '';
  const items = entries
    .toSorted((one, other) => other.at - one.at)
    .map(({ at, kind, text, link }) => {
      const [date = '', clock = ''] = words.of(at).split(' ');
      const head = date === day ? NOTHING : html`<li class="day quiet">${date}</li>\n`;
      day = date;
      const when = html`<time datetime="${new Date(at).toISOString()}">${clock}</time>`;
      return html`${head}<li class="${kind}">\
${link === undefined ? when : html`<a href="${link}">${when}</a>`} <span>${text}</span></li>\n`;
    });
  return html`<ol class="timeline card" aria-label="${label}">\n${items}</ol>\n`;
}

/** Everything known about the codes to a phone, for one page of its messages. */
export interface PhoneStory {
  readonly messages: readonly DeliveryRecord[];
  readonly attempts: ReadonlyMap<string, readonly AttemptRecord[]>;
  readonly refusals: readonly Refusal[];
  /** Failures of all phones in the last 24 hours. */
  readonly failures: readonly FailureGroup[];
  readonly holds: Holds;
  /** Codes of the last day to the phone, newest first. */
  readonly sent: readonly SentCode[];
}

export async function readPhoneStory(
  {
    deliveries,
    refusals,
    workers,
    sentCodes,
  }: Pick<Store, 'deliveries' | 'refusals' | 'workers' | 'sentCodes'>,
  { phone, state, reason, channel = 'sms', createdAfter, createdBefore }: DeliveryFilter,
  { messages, next }: DeliveryPage,
  { before, after }: PageStart,
  recent: RecentMessages | undefined,
  now: number,
): Promise<PhoneStory> {
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
    attempts: await deliveries.attemptsOfAll(messages.map(({ id }) => id)),
    refusals: found.filter(
      ({ firstAt }) =>
        firstAt >= Math.max(from ?? 0, (createdAfter ?? -1) + 1) &&
        firstAt < Math.min(until ?? Infinity, createdBefore ?? Infinity),
    ),
    failures: recent?.failures ?? [],
    holds: await workers.holds(now),
    sent:
      phone === undefined
        ? []
        : (await sentCodes.endingLike(phone.number, now - DAY_MS)).filter((code) =>
            isSamePhone(code.phone, phone.number),
          ),
  };
}

/** Returns the timeline of the codes to a phone, refused ones included. */
export function phoneTimeline(story: PhoneStory, words: Words, now: number): Html {
  const { messages, refusals } = story;
  if (messages.length + refusals.length === 0) {
    return html`<p>\
${words.html(
  'No codes for this number, and none refused in the last 24 hours. If a caller asked for one, the call never arrived, or its number was not valid: see {requests} and {callers}.',
  {
    requests: html`<a href="/requests">${words.t('Requests')}</a>`,
    callers: html`<a href="/callers">${words.t('Callers')}</a>`,
  },
)}</p>\n`;
  }
  const entries = [
    ...messages.map((message) => messageEntry(message, story, words, now)),
    ...refusals.map((refusal) => refusalEntry(refusal, story, words)),
  ];
  return timelinePart(words.t('Codes for this number'), entries, words);
}

function refusalEntry(refusal: Refusal, story: PhoneStory, words: Words): TimelineEntry {
  const { times, firstAt, lastAt } = refusal;
  const more =
    times === 1
      ? ''
      : ` (${words.t('{n} times until {time}', { n: times, time: words.near(lastAt, firstAt) })})`;
  return {
    at: firstAt,
    kind: 'bad',
    text: html`<strong>${words.t('refused')}:</strong> ${words.said(refusalSentence(refusal))}${more}\
${nextCodeText(refusal, story, words)}`,
  };
}

/** Windows of the limits on the codes for one phone, in milliseconds, with the number of codes in one. */
const WINDOWS: Partial<
  Record<Refusal['reason'], (bound: number) => { readonly codes: number; readonly ms: number }>
> = {
  cool_down: (bound) => ({ codes: 1, ms: bound * SECOND_MS }),
  ten_minutes: (bound) => ({ codes: bound, ms: 10 * MINUTE_MS }),
  day: (bound) => ({ codes: bound, ms: DAY_MS }),
};

/**
 * Returns from when on a limit allows the next code; empty for other refusals, and where callers have limits
 * each.
 */
function nextCodeText({ reason, bound, lastAt }: Refusal, { sent }: PhoneStory, words: Words): string {
  const window = WINDOWS[reason]?.(bound);
  if (window === undefined || new Set(sent.map(({ caller }) => caller)).size > 1) return '';
  const before = sent.filter(({ createdAt }) => createdAt <= lastAt);
  const leaves = before[window.codes - 1];
  if (leaves === undefined) return '';
  const time = words.near(leaves.createdAt + window.ms, lastAt);
  return `; ${words.t('the next code is possible from {time}', { time })}`;
}

function messageEntry(message: DeliveryRecord, story: PhoneStory, words: Words, now: number): TimelineEntry {
  const { id, state, createdAt, recipient, reason } = message;
  const attempts = story.attempts.get(id) ?? [];
  const masked = isMaskedPhone(recipient)
    ? html` <span class="quiet">(${words.t('masked number')})</span>`
    : NOTHING;
  const tried = attempts.length < 2 ? '' : ` ${words.t('after {n} attempts', { n: attempts.length })}`;
  const moment = { now, holds: story.holds };
  const why = reason === null ? '' : `: ${whyText(reason, moment, words)}`;
  const said = (kind: TimelineEntry['kind'], what: string, more = ''): TimelineEntry => ({
    ...{ at: createdAt, kind, link: `/messages/${encodeURIComponent(id)}` },
    text: html`<strong>${what}</strong>${shown(more)}${masked}`,
  });
  const entry = (kind: TimelineEntry['kind'], what: Text, more?: string): TimelineEntry =>
    said(kind, words.t(what), more);
  switch (state) {
    case 'sent':
      return sentEntry(message, attempts.at(-1), words, entry);
    case 'written':
      return entry('warn', 'written to a file, not sent');
    case 'sending':
      return entry('quiet', 'being sent');
    case 'queued':
      return entry('quiet', 'waiting', `${tried}: ${waitingText(message, moment, words)}`);
    case 'open':
      return entry('quiet', 'waiting', why);
    case 'suppressed':
      return entry('quiet', 'not sent', why);
    case 'failed':
    case 'expired':
    case 'partly': {
      const end = endTexts(message, moment, words);
      return said('bad', end.what, `${tried}${end.why}${othersText(message, story, words)}`);
    }
  }
}

function whyText(reason: NonNullable<DeliveryRecord['reason']>, moment: Moment, words: Words): string {
  return words.said(reasonWithTimes(reason, moment, words)).replace(/\.$/, '');
}

/** Returns how a message ended, and why, to follow it; empty where the first says it all. */
function endTexts({ state, reason }: DeliveryRecord, moment: Moment, words: Words) {
  if (reason === null) return { what: words.said(state), why: '' };
  const why = whyText(reason, moment, words);
  return reason.code === 'expired'
    ? { what: shown(why), why: '' }
    : { what: words.said(state), why: `: ${why}` };
}

function sentEntry(
  message: DeliveryRecord,
  last: AttemptRecord | undefined,
  words: Words,
  entry: (kind: TimelineEntry['kind'], what: Text, more?: string) => TimelineEntry,
): TimelineEntry {
  const { createdAt, receipt, receiptAt, receiptCode, isReceiptExact } = message;
  const name = last?.provider == null ? '' : ` ${words.t('by {provider}', { provider: last.provider })}`;
  const by = `${name}${lateText(createdAt, last, words)}`;
  const time = receiptAt === null ? '' : words.near(receiptAt, createdAt);
  switch (receipt) {
    case 'delivered':
      return entry('good', 'sent', `${by}, ${words.said(receiptPhrase(message, words) ?? 'delivered')}`);
    case 'undelivered': {
      const text = isReceiptExact ? 'not delivered {time}' : 'not delivered, reported {time}';
      const code = receiptCode ? ` (${receiptCode})` : '';
      return entry('bad', 'sent', `${by}, ${words.t(text, { time })}${code}`);
    }
    case 'waiting':
      return entry('good', 'sent', `${by}, ${words.t('no receipt yet')}`);
    case null:
      return entry('good', 'sent', by);
  }
}

/** A code is sent within this time unless something holds it, in milliseconds. */
const PROMPT_MS = 10_000;

/** Returns when a message was sent and how late, if it waited; empty for a prompt one. */
function lateText(createdAt: number, last: AttemptRecord | undefined, words: Words): string {
  const at = (last?.at ?? createdAt) + (last?.milliseconds ?? 0);
  if (at - createdAt < PROMPT_MS) return '';
  const values = { time: words.near(at, createdAt), age: duration(at - createdAt) };
  return ` (${words.t('{time}, {age} late', values)})`;
}

/** Returns how many other messages failed for the same reason; empty for none. */
function othersText({ channel, state, reason, createdAt }: DeliveryRecord, story: PhoneStory, words: Words) {
  const same = story.failures.find(
    (group) =>
      group.channel === channel &&
      group.state === state &&
      JSON.stringify(group.reason) === JSON.stringify(reason),
  );
  if (same === undefined || same.messages < 2) return '';
  return `; ${words.t('{n} others since {time}', { n: same.messages - 1, time: words.near(same.since, createdAt) })}`;
}

/** Returns what a queued message waits for, and when it expires. */
function waitingText(message: DeliveryRecord, moment: Moment, words: Words): string {
  const why = waitingSentence(message, moment, words);
  const expires = words.t('expires {time}', { time: words.near(message.expiresAt, message.createdAt) });
  return why === undefined ? expires : `${words.said(why)}; ${expires}`;
}

/** Texts of the outcomes of attempts. */
const OUTCOMES: Readonly<Record<string, Text>> = {
  sent: 'accepted',
  written: 'written',
  refused: 'refused',
  expired: 'expired',
  'dead-token': 'refused',
  'foreign-token': 'refused',
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
  words: Words,
  moment: Moment,
): Html {
  const { now, holds } = moment;
  const { state, createdAt, updatedAt, nextAttemptAt, caller, reason, receipt } = message;
  const entries: TimelineEntry[] = [
    {
      at: createdAt,
      kind: 'quiet',
      text:
        caller === null ? words.t('accepted') : words.t('accepted from {caller}', { caller: shown(caller) }),
    },
    ...holdsDuring(holds, message, attempts.at(-1)?.at ?? updatedAt, now).map((hold): TimelineEntry => ({
      at: Math.max(hold.since, createdAt),
      kind: 'warn',
      text: html`<strong>\
${words.t('held')}:</strong> ${words.said(holdSentence(hold, (at) => words.minuteOf(at, createdAt)))}`,
    })),
    ...attempts.map((attempt): TimelineEntry => ({
      at: attempt.at,
      kind: GOOD_OUTCOMES.includes(attempt.outcome) ? 'good' : 'bad',
      text: attemptText(attempt, words),
    })),
  ];
  const isTold = attempts.at(-1)?.reason?.code === reason?.code;
  if (hasGone(state) && receipt !== null && receipt !== 'waiting') {
    const code = message.receiptCode ? ` (${message.receiptCode})` : '';
    const kind = receipt === 'delivered' ? 'good' : 'bad';
    const at = message.receiptAt ?? updatedAt;
    const what =
      receipt === 'undelivered'
        ? words.t('not delivered')
        : message.isReceiptExact
          ? words.t('delivered')
          : words.t('delivered by {time}', { time: words.near(at, createdAt) });
    entries.push({ at, kind, text: html`<strong>${what}</strong>${shown(code)}` });
  } else if (state === 'queued' && nextAttemptAt > now) {
    entries.push({ at: nextAttemptAt, kind: 'quiet', text: words.t('next attempt') });
  } else if (['failed', 'expired', 'suppressed'].includes(state) && !isTold) {
    const { what, why } = endTexts(message, moment, words);
    entries.push({ at: updatedAt, kind: 'bad', text: html`<strong>${what}</strong>${shown(why)}` });
  }
  // Of what happened at one moment, the last comes first, too.
  return timelinePart(words.t('Timeline'), entries.toReversed(), words);
}

function attemptText(attempt: AttemptRecord, words: Words): Html {
  const { number, provider, outcome, reason, milliseconds, parts, providerId } = attempt;
  const by = provider === null ? '' : ` ${words.t('by {provider}', { provider })}`;
  const more = [
    ...(milliseconds === null ? [] : [words.t('{n} s', { n: Math.round(milliseconds / 10) / 100 })]),
    ...(parts === null ? [] : [words.count(parts, '{n} part', '{n} parts')]),
    ...(providerId === null ? [] : [`id ${providerId}`]),
  ];
  const why = reason === null ? '' : ` ${words.said(reasonSentence(reason))}`;
  const quiet = more.length === 0 ? NOTHING : html` <span class="quiet">${shown(more.join(', '))}</span>`;
  return html`${words.t('attempt {n}', { n: number })}${shown(by)}: <strong>\
${words.said(OUTCOMES[outcome] ?? { line: shown(outcome) })}</strong>.${shown(why)}${quiet}`;
}
