import { html, type Html, NOTHING } from '../../asmx';
import {
  type DeliveryFilter,
  type DeliveryRecord,
  holdsCode,
  type MessageChannel,
  type MessageState,
  type Store,
} from '../../store';
import { counted, numberText } from '../../support/text';
import type { TimeText } from '../reports/time-text';
import { windowText } from '../reports/message-filter';
import { type AddressTexts, namingOf, queryOf } from './message-address';
import { hiddenFields, type Seen } from './console-page';

/** Changes that an operator can make to messages. */
export const ACTIONS = ['retry', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

/** States that an action applies to; a state in the filter narrows them. */
const STATES: Readonly<Record<Action, readonly MessageState[]>> = {
  retry: ['failed', 'expired', 'suppressed', 'partly'],
  cancel: ['queued', 'open'],
};

/** Maximum number of messages changed at once, so that a person can review each change. */
const MOST_AT_ONCE = 10_000;
/** Number of messages changed in one transaction: other writers wait for it. */
const CHUNK = 200;

/** Preview of an action. */
interface Plan {
  readonly messages: number;
  /** Channels with any messages. */
  readonly channels: readonly (readonly [channel: MessageChannel, messages: number])[];
  /** True if there are more than MOST_AT_ONCE. */
  readonly isCut: boolean;
}

/** Counts the messages that an action would change, up to MOST_AT_ONCE. */
export async function planOf(
  store: Pick<Store, 'deliveries'>,
  action: Action,
  filter: DeliveryFilter,
  now: number,
): Promise<Plan> {
  const channels = new Map<MessageChannel, number>();
  let messages = 0;
  for await (const chunk of chunks(store, action, filter, now)) {
    for (const { channel } of chunk.slice(0, Math.max(0, MOST_AT_ONCE - messages)))
      channels.set(channel, (channels.get(channel) ?? 0) + 1);
    messages += chunk.length;
  }
  return {
    messages: Math.min(messages, MOST_AT_ONCE),
    channels: [...channels].sort(),
    isCut: messages > MOST_AT_ONCE,
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
    const ids = chunk.slice(0, MOST_AT_ONCE - met).map(({ id }) => id);
    if (ids.length === 0) break;
    changed += await store.deliveries[action]({ ids }, now);
    met += ids.length;
  }
  return changed;
}

/** Yields the messages of a filter that an action applies to, newest first, up to MOST_AT_ONCE. */
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
      const page = await deliveries.page({ ...filter, state }, CHUNK, before);
      const meant = page.messages.filter((message) => action === 'cancel' || canRetry(message, now));
      met += meant.length;
      if (meant.length > 0) yield meant;
      before = page.next;
    } while (before !== undefined && met <= MOST_AT_ONCE);
  }
}

/** Returns false for a code that is expired or erased: it is only sent within its lifetime. */
export function canRetry({ channel, state, expiresAt }: DeliveryRecord, now: number): boolean {
  return !holdsCode(channel) || (state === 'failed' && expiresAt > now);
}

const WORDS: Readonly<
  Record<Action, { readonly title: string; readonly button: string; readonly means: string }>
> = {
  retry: {
    title: 'Retry?',
    button: 'Retry',
    means:
      'The messages are queued again, with the full number of attempts. For a mark note, the push messages that were not sent are queued again. Codes are only retried until they expire.',
  },
  cancel: {
    title: 'Cancel?',
    button: 'Cancel',
    means:
      'The messages are removed from the queue and not sent. For a mark note, its waiting push messages are removed. Codes are erased and cannot be retried.',
  },
};

const CHANNEL_WORDS = {
  sms: ['SMS', 'SMS'],
  push: ['push message', 'push messages'],
  mark: ['mark note', 'mark notes'],
} as const satisfies Readonly<Record<MessageChannel, readonly [one: string, several: string]>>;

export function confirmTitle(action: Action): string {
  return WORDS[action].title;
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
  { token }: Seen,
  clock: TimeText,
): Html {
  const { title, button, means } = WORDS[action];
  const time = shown.id === undefined ? ` ${windowText(namingOf(shown), clock)}` : '';
  const back =
    texts.id === undefined ? `/messages${queryOf(shown)}` : `/messages/${encodeURIComponent(texts.id)}`;
  if (plan.messages === 0) {
    return html`<h1>${title}</h1>
<p>No messages${time} can be ${action === 'retry' ? 'retried' : 'cancelled'}.</p>
<p><a href="${back}">Back</a></p>`;
  }
  const parts = plan.channels
    .map(([channel, messages]) => counted(messages, CHANNEL_WORDS[channel][0], CHANNEL_WORDS[channel][1]))
    .join(', ');
  return html`<h1>${title}</h1>
<p class="lead">${counted(plan.messages, 'message')}${time}: ${parts}.</p>
${plan.isCut ? html`<p>Only ${numberText(MOST_AT_ONCE)} messages are changed at once. Repeat this for the rest.</p>\n` : NOTHING}<p>${means}</p>
<form class="actions" method="post" action="/messages/change">${hiddenFields({ ...texts, token, action })}<button${action === 'cancel' ? html` class="danger"` : NOTHING}>${button} ${counted(plan.messages, 'message')}</button> <a href="${back}">Go back</a></form>`;
}
