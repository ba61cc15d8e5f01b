import {
  type DeliveryFilter,
  type DeliveryRecord,
  holdsCode,
  type MessageChannel,
  type MessageState,
  type Store,
} from '../../store';

/** What an operator may do with messages. */
export const ACTIONS = ['retry', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

/** Those that an action means; a state that the filter asks for narrows them. */
const STATES: Readonly<Record<Action, readonly MessageState[]>> = {
  retry: ['failed', 'expired', 'suppressed', 'partly'],
  cancel: ['queued', 'open'],
};

/** More are not changed at once: each change is to be looked at by somebody. */
export const MOST_AT_ONCE = 10_000;
/** Messages that one transaction changes: others who write wait for it. */
const CHUNK = 200;

/** What an action would change. */
export interface Plan {
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
