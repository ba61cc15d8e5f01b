import type { MessageChannel, Reason, Store } from '../../../src/store';

export interface Failing {
  readonly channel: MessageChannel;
  readonly reason: Reason;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** How many messages; all where it is not given. */
  readonly limit?: number;
}

/** Brings what waits in a channel to an end: the provider refused it. */
export async function failMessages(
  { outbox }: Store,
  { channel, reason, now, limit = 1000 }: Failing,
): Promise<void> {
  const lease = { owner: 'a test', leaseUntil: now + 30_000, now };
  for (const { id } of await outbox.claim({ ...lease, channel, limit })) {
    await outbox.settle({
      ...{ ...lease, id, state: 'failed', nextAttemptAt: now, attempted: true, erase: false },
      ...{ providerId: 'P-7', reason },
      attempt: {
        ...{ at: now, provider: 'fcm', outcome: 'refused', status: 403, reason },
        ...{ milliseconds: 12, parts: null },
      },
    });
  }
}
