import type { Store } from '../../../src/store';

/** Brings a code that waits to its end, at a time in milliseconds since 1970 UTC: Netgsm sent it in one part. */
export async function sendCode({ outbox }: Store, id: string, now: number): Promise<void> {
  const lease = { owner: 'a test', leaseUntil: now + 60_000, now };
  await outbox.claim({ ...lease, channel: 'sms', limit: 99 });
  await outbox.settle({
    ...{ ...lease, id, state: 'sent', nextAttemptAt: now, attempted: true, erase: true, reason: null },
    ...{ providerId: id, awaitsReceipt: true, gateway: 'Netgsm' },
    attempt: {
      ...{ at: now, provider: 'Netgsm', outcome: 'sent', status: 200, reason: null },
      ...{ milliseconds: 12, parts: 1 },
    },
  });
}
