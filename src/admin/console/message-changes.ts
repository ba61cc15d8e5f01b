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
import { windowText } from '../reports/message-filter';
import { type AddressTexts, namingOf, queryOf } from './message-address';
import { hiddenFields, type Seen } from './console-page';

/** What an operator may do with messages. */
export const ACTIONS = ['retry', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

/** Those that an action means; a state that the filter asks for narrows them. */
const STATES: Readonly<Record<Action, readonly MessageState[]>> = {
  retry: ['failed', 'expired', 'suppressed', 'partly'],
  cancel: ['queued', 'open'],
};

/** More are not changed at once: each change is to be looked at by somebody. */
const MOST_AT_ONCE = 10_000;
/** Messages that one transaction changes: others who write wait for it. */
const CHUNK = 200;

/** What an action would change. */
interface Plan {
  readonly messages: number;
  /** By channel, those with any. */
  readonly channels: readonly (readonly [channel: MessageChannel, messages: number])[];
  /** Whether there are more than MOST_AT_ONCE. */
  readonly isCut: boolean;
}

/** Counts what an action would change, as far as MOST_AT_ONCE. */
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
 * Does it, in small transactions.
 *
 * @returns how many messages were changed, push messages of requests among them
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

/** What an action means of a filter, the newest first; ends behind MOST_AT_ONCE. */
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
      const meant = page.messages.filter((message) => action === 'cancel' || isWorthIt(message, now));
      met += meant.length;
      if (meant.length > 0) yield meant;
      before = page.next;
    } while (before !== undefined && met <= MOST_AT_ONCE);
  }
}

/** A code is sent within its lifetime or not at all, and it is erased unless it failed. */
function isWorthIt({ channel, state, expiresAt }: DeliveryRecord, now: number): boolean {
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
    button: 'Cancel messages',
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
 * Says how many messages an action means, of which time, and asks whether it is to be done.
 *
 * @param texts - what is sent for it, with the time that was counted
 * @param shown - as the operator asked for it
 */
export function confirmPage(
  action: Action,
  plan: Plan,
  { texts, shown }: { readonly texts: AddressTexts; readonly shown: AddressTexts },
  { token }: Seen,
): Html {
  const { title, button, means } = WORDS[action];
  const time = shown.id === undefined ? ` ${windowText(namingOf(shown))}` : '';
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
<form class="actions" method="post" action="/messages/change">${hiddenFields({ ...texts, token, action })}<button>${button}</button> <a href="${back}">Go back</a></form>`;
}
