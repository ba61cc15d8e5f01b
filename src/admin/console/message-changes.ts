import { html, type Html, NOTHING } from '../../support/html';
import {
  chosenStates,
  type DeliveryFilter,
  type DeliveryRecord,
  holdsCode,
  mayHaveBeenSent,
  type MessageChannel,
  type MessageState,
  STATE_CHOICES,
  type Store,
} from '../../store';
import { windowSentence } from '../reports/message-filter';
import { type AddressTexts, toNaming, queryText } from './message-address';
import { hiddenFields, type PageViewer } from './console-page';
import type { Text, Words } from '../texts/words';

export const ACTIONS = ['retry', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

/** States that an action applies to; a state in the filter narrows them. */
const STATES: Readonly<Record<Action, readonly MessageState[]>> = {
  retry: ['failed', 'expired', 'suppressed', 'partly'],
  cancel: ['queued', 'open'],
};

/** Maximum number of messages changed at once, so that a person can review each change. */
const MAX_AT_ONCE = 10_000;
/** Number of messages changed in one transaction: other writers wait for it. */
const CHUNK = 200;

/** Preview of an action. */
export interface Plan {
  readonly messages: number;
  /** Part of them: SMS that the gateway may have sent already. Only a user who says so sends them again. */
  readonly perhapsSent: number;
  /** Codes that are not retried, because they have expired. */
  readonly leftOut: number;
  readonly channels: readonly (readonly [channel: MessageChannel, messages: number])[];
  /** True if there are more than MAX_AT_ONCE. */
  readonly isCut: boolean;
}

/** Counts the messages that an action would change. @param max - default: MAX_AT_ONCE */
export async function planChange(
  store: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
  max = MAX_AT_ONCE,
): Promise<Plan> {
  const channels = new Map<MessageChannel, number>();
  let [messages, perhapsSent, leftOut] = [0, 0, 0];
  for await (const { meant, others } of chunks(store, action, filter, now, max)) {
    const counted = meant.slice(0, Math.max(0, max - messages));
    for (const { channel } of counted) channels.set(channel, (channels.get(channel) ?? 0) + 1);
    perhapsSent += counted.filter(isPerhapsSent).length;
    messages += meant.length;
    leftOut += others;
  }
  return {
    perhapsSent,
    leftOut,
    messages: Math.min(messages, max),
    channels: [...channels].sort(),
    isCut: messages > max,
  };
}

/**
 * Performs an action in small transactions.
 *
 * @param again - true to retry SMS that the gateway may have sent already
 * @param max - maximum number of messages; default: MAX_AT_ONCE
 * @returns the number of changed messages, including push messages of requests
 */
export async function change(
  store: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
  again: boolean,
  max = MAX_AT_ONCE,
): Promise<number> {
  let changed = 0;
  let met = 0;
  for await (const { meant } of chunks(store, action, filter, now, max)) {
    const counted = meant.slice(0, max - met);
    const ids = counted.filter((message) => again || !isPerhapsSent(message)).map(({ id }) => id);
    if (ids.length > 0) changed += await store.deliveries[action]({ ids }, now);
    met += counted.length;
    if (met >= max) break;
  }
  return changed;
}

/** Messages of a page that an action applies to, and the number of the others. */
interface Chunk {
  readonly meant: readonly DeliveryRecord[];
  readonly others: number;
}

/**
 * Yields the messages of a filter that an action applies to, newest first, until there are more than `max`.
 */
async function* chunks(
  { deliveries }: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
  max: number,
): AsyncGenerator<Chunk> {
  let met = 0;
  const states = STATES[action].filter((state) => isChosen(state, filter.state));
  for (const state of states) {
    let before: string | undefined;
    do {
      const page = await deliveries.page({ ...filter, state }, CHUNK, { before });
      const meant = page.messages.filter((message) => action === 'cancel' || canRetry(message, now));
      met += meant.length;
      yield { meant, others: page.messages.length - meant.length };
      before = page.next;
    } while (before !== undefined && met <= max);
  }
}

/** Returns false for a code that is expired or erased: it is only sent within its lifetime. */
export function canRetry({ channel, state, expiresAt }: DeliveryRecord, now: number): boolean {
  return !holdsCode(channel) || (state === 'failed' && expiresAt > now);
}

/** Returns true if an action can do something to one of some messages. */
export function canChangeSome(action: Action, messages: readonly DeliveryRecord[], now: number): boolean {
  return messages.some(
    (message) => STATES[action].includes(message.state) && (action === 'cancel' || canRetry(message, now)),
  );
}

/** Returns true for a failed SMS that the gateway may have sent: a second one costs money, and trust. */
export function isPerhapsSent({ channel, state, reason }: DeliveryRecord): boolean {
  return holdsCode(channel) && state === 'failed' && mayHaveBeenSent(reason);
}

/** Returns true if an action can do something to messages of a filter. */
export function canChange(action: Action, { state, receipt }: AddressTexts): boolean {
  if (receipt !== undefined) return false;
  return STATES[action].some((each) => isChosen(each, state));
}

/** @param choice - of a filter, or a text of an address */
function isChosen(state: MessageState, choice: string | undefined): boolean {
  const chosen = STATE_CHOICES.find((each) => each === choice);
  return choice === undefined || (chosen !== undefined && chosenStates(chosen).includes(state));
}

const WORDS: Readonly<
  Record<Action, { readonly title: Text; readonly button: Text; readonly none: Text; readonly means: Text }>
> = {
  retry: {
    title: 'Retry?',
    button: 'Retry {messages}',
    none: 'No messages {time} can be retried.',
    means:
      'The messages are queued again, with the full number of attempts. For a mark note, the push messages that were not sent are queued again. Codes are only retried until they expire.',
  },
  cancel: {
    title: 'Cancel?',
    button: 'Cancel {messages}',
    none: 'No messages {time} can be cancelled.',
    means:
      'The messages are removed from the queue and not sent. For a mark note, its waiting push messages are removed. Codes are erased and cannot be retried.',
  },
};

const CHANNEL_WORDS = {
  sms: ['{n} SMS', '{n} SMS'],
  push: ['{n} push message', '{n} push messages'],
  mark: ['{n} mark note', '{n} mark notes'],
} as const satisfies Readonly<Record<MessageChannel, readonly [one: Text, several: Text]>>;

export function confirmTitle(action: Action, words: Words): string {
  return words.t(WORDS[action].title);
}

/**
 * Returns the page that shows the number and time range of the messages for an action, and asks for
 * confirmation.
 *
 * @param texts - filter to submit, with the counted time range
 * @param shown - filter as entered
 */
export function confirmPage(
  action: Action,
  plan: Plan,
  { texts, shown }: { readonly texts: AddressTexts; readonly shown: AddressTexts },
  { token, words }: PageViewer,
): Html {
  const { button, none, means } = WORDS[action];
  const title = confirmTitle(action, words);
  const time = shown.id === undefined ? words.said(windowSentence(toNaming(shown), words)) : '';
  const back =
    texts.id === undefined ? `/messages${queryText(shown)}` : `/messages/${encodeURIComponent(texts.id)}`;
  const left =
    plan.leftOut === 0
      ? NOTHING
      : html`<p>\
${words.count(
  plan.leftOut,
  'Left out: {n} code, which has expired. It must be requested again.',
  'Left out: {n} codes, which have expired. They must be requested again.',
)}</p>\n`;
  if (plan.messages === 0) {
    return html`<h1>${title}</h1>
<p>${words.t(none, { time }).replace('  ', ' ')}</p>
${left}<p><a href="${back}">${words.t('Back')}</a></p>`;
  }
  const parts = plan.channels
    .map(([channel, messages]) => words.count(messages, CHANNEL_WORDS[channel][0], CHANNEL_WORDS[channel][1]))
    .join(', ');
  const messages = words.count(plan.messages, '{n} message', '{n} messages');
  return html`<h1>${title}</h1>
<p class="lead">${time === '' ? messages : words.t('{messages} {time}', { messages, time })}: ${parts}.</p>
${
  plan.isCut
    ? html`<p>\
${words.t('Only {n} messages are changed at once. Repeat this for the rest.', { n: MAX_AT_ONCE })}</p>\n`
    : NOTHING
}${left}<p>${words.t(means)}</p>
<form class="actions" method="post" action="/messages/change">${hiddenFields({ ...texts, token, action })}\
${againPart(plan, action, texts.id !== undefined, words)}\
<button${action === 'cancel' ? html` class="danger"` : NOTHING}>\
${words.t(button, { messages })}</button> <a href="${back}">${words.t('Go back')}</a></form>`;
}

/** Asks whether to send again what may have been sent; otherwise it is left out. */
function againPart({ perhapsSent }: Plan, action: Action, isOne: boolean, words: Words): Html {
  if (action !== 'retry' || perhapsSent === 0) return NOTHING;
  const question = words.count(
    perhapsSent,
    'Send {n} SMS again that the gateway may have sent already. It gave no clear answer; the recipient may get the code twice.',
    'Send {n} SMS again that the gateway may have sent already. It gave no clear answer; the recipients may get the codes twice.',
  );
  const required = isOne ? html` required` : NOTHING;
  return html`<p><label><input type="checkbox" name="again" value="yes"${required}> ${question}</label></p>`;
}
