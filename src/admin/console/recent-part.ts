import { type Content, html, type Html, NOTHING } from '../../support/html';
import { type FailureGroup, holdsCode, type Reason, type RecentMessages, type Store } from '../../store';
import { shown } from '../../support/text';
import type { Snapshot } from '../alerts/snapshot';
import { duration } from '../reports/duration';
import { type Moment, reasonWithTimes } from '../reports/waiting-text';
import type { Text, Words } from '../texts/words';
import { hiddenFields, type PageViewer, timePart } from './console-page';
import { queryText } from './message-address';

/** The messages of a day are queried again only after this many times the duration of the query. */
const REST_FACTOR = 50;

/** Reads the results of the last messages, shared by all open pages, in at most 2 % of the time. */
export class RecentReader {
  readonly #deliveries: Pick<Store['deliveries'], 'recent'>;
  readonly #freshMs: number;
  #until = 0;
  #last: Promise<RecentMessages> | undefined;

  /** @param freshMs - minimum time for which an answer is reused */
  constructor(deliveries: Pick<Store['deliveries'], 'recent'>, freshMs: number) {
    this.#deliveries = deliveries;
    this.#freshMs = freshMs;
  }

  /** @param now - milliseconds since 1970 UTC */
  read(now: number): Promise<RecentMessages> {
    if (this.#last === undefined || performance.now() >= this.#until) {
      this.#until = Number.POSITIVE_INFINITY;
      this.#last = this.#read(now);
    }
    return this.#last;
  }

  async #read(now: number): Promise<RecentMessages> {
    const begin = performance.now();
    try {
      const recent = await this.#deliveries.recent(now);
      const end = performance.now();
      this.#until = end + Math.max(this.#freshMs, (end - begin) * REST_FACTOR);
      return recent;
    } catch (error) {
      this.#until = 0;
      throw error;
    }
  }
}

const OF_DAY = { 'newer-than': '24h' } as const;

export function tilesPart(recent: RecentMessages, { store, now }: Snapshot, words: Words): Html {
  const { hour, day } = recent;
  const inLastDay = (figure: Content): Html => words.html('{figure} in the last 24 hours', { figure });
  const tile = (name: Text, figure: Content, more: Content, time: Text = 'in the last hour'): Html =>
    html`<section class="card tile"><h2>${words.t(name)}</h2><p><strong>\
${figure}</strong> <span class="quiet">${words.t(time)}</span></p><p class="quiet">${more}</p></section>\n`;
  const backlog = store?.backlog ?? [];
  const waiting = backlog.reduce((sum, { messages }) => sum + messages, 0);
  const oldest = Math.min(now, ...backlog.map(({ oldestCreatedAt }) => oldestCreatedAt));
  const channels = backlog.map(
    ({ channel, messages }) =>
      html` <a href="/messages${queryText({ channel, state: 'queued', 'newer-than': 'any' })}">\
${words.said(channel)} ${words.number(messages)}</a>`,
  );
  const failed = (counts: RecentMessages['day'], age: string): Content =>
    failedText(counts.failed, age, words);
  return html`<div class="tiles">
${tile('Accepted', words.number(hour.accepted), inLastDay(words.number(day.accepted)))}\
${tile('Sent', words.number(hour.sent), html`${inLastDay(words.number(day.sent))}${sentText(day, words)}`)}\
${tile('Failed', failed(hour, '1h'), inLastDay(failed(day, '24h')))}\
${tile(
  'Waiting',
  words.number(waiting),
  waiting === 0
    ? words.t('no messages')
    : html`${words.t('oldest {age}', { age: words.said(duration(now - oldest)) })}:${channels}`,
  'now',
)}</div>
`;
}

/** Returns how many of the sent messages were delivered, and how many others were only written to a file. */
function sentText({ delivered, undelivered, written }: RecentMessages['day'], words: Words): readonly Html[] {
  return [
    ...(delivered === 0 ? [] : [html`, ${words.t('{n} delivered', { n: delivered })}`]),
    ...(undelivered === 0
      ? []
      : [
          html`, <a class="bad" href="/messages${queryText({ receipt: 'undelivered', ...OF_DAY })}">\
${words.t('{n} not delivered', { n: undelivered })}</a>`,
        ]),
    ...(written === 0
      ? []
      : [
          html`; <a class="warn" href="/messages${queryText({ state: 'written', ...OF_DAY })}">\
${words.t('{n} written to a file, not sent', { n: written })}</a>`,
        ]),
  ];
}

function failedText(messages: number, age: string, words: Words): Content {
  if (messages === 0) return '0';
  return html`<a class="bad" href="/messages${queryText({ state: 'failed_or_expired', 'newer-than': age })}">\
${words.number(messages)}</a>`;
}

const MAX_REASONS = 6;

/** Shows the failures of the last 24 hours by reason, each with actions for all of them. */
export function failuresPart(
  { failures, day: { undelivered } }: RecentMessages,
  viewer: PageViewer,
  moment: Moment,
): Html {
  const { words } = viewer;
  const groups = byReason(failures);
  if (groups.length + undelivered === 0) return NOTHING;
  const left = groups.slice(MAX_REASONS).reduce((sum, { messages }) => sum + messages, 0);
  return html`<section><h2>${words.t('Failed in the last 24 hours')}</h2>
<ul class="findings">
${groups.slice(0, MAX_REASONS).map((group) => failurePart(group, viewer, moment))}\
${
  undelivered === 0
    ? NOTHING
    : html`<li class="bad"><strong>\
${words.number(undelivered)} × SMS: ${words.t('accepted by the gateway, but not delivered.')}\
</strong> <a href="/messages${queryText({ receipt: 'undelivered', ...OF_DAY })}">\
${words.t('Show them')}</a></li>\n`
}</ul>
${
  left === 0
    ? NOTHING
    : html`<p>\
${words.count(left, '{n} message failed for other reasons.', '{n} messages failed for other reasons.')}</p>\n`
}</section>`;
}

/** Returns a key that keeps together what expired because of one hold, apart from other causes. */
function heldText(reason: Reason | null): string {
  return reason?.code === 'expired' ? JSON.stringify(reason.held ?? null) : '';
}

interface ReasonGroup extends FailureGroup {
  /** Number of messages with other details than the ones shown. */
  readonly others: number;
}

/** Groups failures by what an address can select; the details shown are the most frequent ones. */
function byReason(failures: readonly FailureGroup[]): readonly ReasonGroup[] {
  const groups = new Map<string, ReasonGroup>();
  for (const failure of failures) {
    const key = `${failure.channel} ${failure.state} ${failure.reason?.code ?? ''} ${heldText(failure.reason)}`;
    const first = groups.get(key);
    groups.set(
      key,
      first === undefined
        ? { ...failure, others: 0 }
        : {
            ...first,
            messages: first.messages + failure.messages,
            others: first.others + failure.messages,
            since: Math.min(first.since, failure.since),
            expiresAt: Math.max(first.expiresAt, failure.expiresAt),
          },
    );
  }
  return [...groups.values()].sort((one, other) => other.messages - one.messages);
}

const NOUNS = { sms: 'SMS', push: 'push', mark: 'mark note' } as const satisfies Readonly<
  Record<string, Text>
>;

function failurePart(group: ReasonGroup, { may, token, words }: PageViewer, moment: Moment): Html {
  const { channel, state, reason, messages, others, since, expiresAt } = group;
  const held = reason?.code === 'expired' ? String(reason.held?.since ?? 'none') : undefined;
  const texts = { channel, state, reason: reason?.code, held, ...OF_DAY };
  // A code is erased when it expires.
  const canRetry = may('retry') && (!holdsCode(channel) || (state === 'failed' && expiresAt > moment.now));
  const retry = canRetry
    ? html` <form method="post" action="/messages/confirm">${hiddenFields({ ...texts, token })}\
<button name="action" value="retry" class="plain">${words.t('Retry …')}</button></form>`
    : NOTHING;
  const more = others === 0 ? '' : ` (${words.t('{n} with other details', { n: others })})`;
  const why = words.said(reason === null ? state : reasonWithTimes(reason, moment, words));
  const time = words.html('Since {time}.', { time: timePart(since, words) });
  const link = html`<a href="/messages${queryText(texts)}">${words.t('Show them')}</a>`;
  return html`<li class="bad"><strong>${words.number(messages)} × ${words.t(NOUNS[channel])}: ${shown(why)}\
</strong>${more} ${time} ${link}${retry}</li>
`;
}
