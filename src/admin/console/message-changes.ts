import { html, type Html, NOTHING } from '../../support/html';
import {
  type DeliveryFilter,
  type DeliveryRecord,
  holdsCode,
  type MessageChannel,
  type MessageState,
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
interface Plan {
  readonly messages: number;
  readonly channels: readonly (readonly [channel: MessageChannel, messages: number])[];
  /** True if there are more than MAX_AT_ONCE. */
  readonly isCut: boolean;
}

/** Counts the messages that an action would change, up to MAX_AT_ONCE. */
export async function planChange(
  store: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
): Promise<Plan> {
  const channels = new Map<MessageChannel, number>();
  let messages = 0;
  for await (const chunk of chunks(store, action, filter, now)) {
    for (const { channel } of chunk.slice(0, Math.max(0, MAX_AT_ONCE - messages)))
      channels.set(channel, (channels.get(channel) ?? 0) + 1);
    messages += chunk.length;
  }
  return {
    messages: Math.min(messages, MAX_AT_ONCE),
    channels: [...channels].sort(),
    isCut: messages > MAX_AT_ONCE,
  };
}

/**
 * Performs an action in small transactions.
 *
 * @returns the number of changed messages, including push messages of requests
 */
export async function change(
  store: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
): Promise<number> {
  let changed = 0;
  let met = 0;
  for await (const chunk of chunks(store, action, filter, now)) {
    const ids = chunk.slice(0, MAX_AT_ONCE - met).map(({ id }) => id);
    if (ids.length === 0) break;
    changed += await store.deliveries[action]({ ids }, now);
    met += ids.length;
  }
  return changed;
}

/** Yields the messages of a filter that an action applies to, newest first, up to MAX_AT_ONCE. */
async function* chunks(
  { deliveries }: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
): AsyncGenerator<readonly DeliveryRecord[]> {
  let met = 0;
  const states = STATES[action].filter((state) => (filter.state ?? state) === state);
  for (const state of states) {
    let before: string | undefined;
    do {
      const page = await deliveries.page({ ...filter, state }, CHUNK, { before });
      const meant = page.messages.filter((message) => action === 'cancel' || canRetry(message, now));
      met += meant.length;
      if (meant.length > 0) yield meant;
      before = page.next;
    } while (before !== undefined && met <= MAX_AT_ONCE);
  }
}

/** Returns false for a code that is expired or erased: it is only sent within its lifetime. */
export function canRetry({ channel, state, expiresAt }: DeliveryRecord, now: number): boolean {
  return !holdsCode(channel) || (state === 'failed' && expiresAt > now);
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
 * Returns the page that shows the number and time range of the messages for an action, and asks for confirmation.
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
  if (plan.messages === 0) {
    return html`<h1>${title}</h1>
<p>${words.t(none, { time }).replace('  ', ' ')}</p>
<p><a href="${back}">${words.t('Back')}</a></p>`;
  }
  const parts = plan.channels
    .map(([channel, messages]) => words.count(messages, CHANNEL_WORDS[channel][0], CHANNEL_WORDS[channel][1]))
    .join(', ');
  const messages = words.count(plan.messages, '{n} message', '{n} messages');
  return html`<h1>${title}</h1>
<p class="lead">${time === '' ? messages : words.t('{messages} {time}', { messages, time })}: ${parts}.</p>
${plan.isCut ? html`<p>${words.t('Only {n} messages are changed at once. Repeat this for the rest.', { n: MAX_AT_ONCE })}</p>\n` : NOTHING}<p>${words.t(means)}</p>
<form class="actions" method="post" action="/messages/change">${hiddenFields({ ...texts, token, action })}<button${action === 'cancel' ? html` class="danger"` : NOTHING}>${words.t(button, { messages })}</button> <a href="${back}">${words.t('Go back')}</a></form>`;
}
