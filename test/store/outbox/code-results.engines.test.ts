import type { DeliveryFilter, MessageChannel, Reason, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const MINUTE = 60_000;
const START = Date.parse('2026-03-02T10:00:00Z');
const expired = (since: number): Reason => ({
  ...{ code: 'expired', held: { cause: 'account', gateway: 'okulsms', reason: null, since } },
});

describe.each(ENGINES)('what did not arrive, on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  /** Stores messages for some recipients, and ends them. */
  const end = async (
    recipients: readonly string[],
    state: 'sent' | 'failed' | 'expired',
    reason: Reason | null = null,
    channel: MessageChannel = 'sms',
    endedAt = START,
  ): Promise<void> => {
    for (const recipient of recipients)
      await store.messages.enqueue({
        ...{ channel, recipient, school: '', payload: { code: '1' }, dedupeKey: null },
        ...{ createdAt: START, expiresAt: START + 5 * MINUTE },
      });
    const lease = { owner: 'w', leaseUntil: START + MINUTE, now: START };
    for (const { id } of await store.outbox.claim({ ...lease, channel, limit: 99 }))
      await store.outbox.settle({
        ...{ ...lease, id, state, nextAttemptAt: START, attempted: true, erase: false },
        ...{ providerId: null, reason, now: endedAt },
      });
  };
  const numbers = (first: number, count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `+90555${String(1_000_000 + first + at)}`);
  const rejected: Reason = { code: 'provider_rejected', status: 200, detail: '30', gateway: 'okulsms' };

  it('is counted apart by whether a hold explains it', async () => {
    await end(numbers(0, 6), 'sent');
    await end([...numbers(10, 3), ...numbers(10, 1)], 'failed', rejected);
    await end(numbers(20, 4), 'expired', expired(START));
    // It waited for a worker until its end.
    await end(numbers(0, 1), 'expired', { code: 'expired' });
    expect(await store.deliveries.codeResults(START - MINUTE)).toEqual({
      ...{ failed: 5, failedNumbers: 4, held: 4, heldNumbers: 4, ended: 11, numbers: 9 },
    });
    expect(await store.deliveries.codeResults(START)).toMatchObject({ failed: 0, held: 0 });
  });

  it.each([
    [2, 0],
    [3, 4],
  ])(
    'counts the others only if at least three numbers are concerned: of %i, %i ended',
    async (failed, ended) => {
      await end(numbers(0, 1), 'sent');
      // A message that an earlier version ended has no reason.
      await end(numbers(10, failed), 'failed');
      expect(await store.deliveries.codeResults(START - MINUTE)).toMatchObject({
        ...{ failed, failedNumbers: failed, held: 0, ended, numbers: ended },
      });
    },
  );

  it('includes codes that were accepted before the moment and ended after it', async () => {
    await end(numbers(0, 3), 'failed', rejected, 'sms', START + 4 * MINUTE);
    const found = { failed: 3, failedNumbers: 3, ended: 3, numbers: 3 };
    expect(await store.deliveries.codeResults(START + 4 * MINUTE - 1)).toMatchObject(found);
    expect(await store.deliveries.codeResults(START + 4 * MINUTE)).toMatchObject({ failed: 0 });
  });

  it('is found as one list, and by the hold for which it expired', async () => {
    await end(numbers(0, 2), 'failed', rejected);
    await end(numbers(10, 3), 'expired', expired(START));
    await end(numbers(20, 4), 'expired', expired(START + 1000));
    await end(numbers(30, 1), 'expired', { code: 'expired' });
    const none = { code: 'pushes_not_sent', notSent: 1, pushes: 1, first: null, others: 0 } as const;
    await end(['1A'], 'failed', none, 'mark');
    const count = async (filter: DeliveryFilter): Promise<number> =>
      (await store.deliveries.list(filter, 99)).length;
    // The push messages of the mark note count themselves.
    expect(await count({ state: 'failed_or_expired' })).toBe(10);
    expect(await count({ state: 'failed_or_expired', channel: 'sms' })).toBe(10);
    expect(await count({ state: 'failed_or_expired', channel: 'mark' })).toBe(1);
    const held = { state: 'expired', reason: 'expired' } as const;
    expect(await count(held)).toBe(8);
    expect(await count({ ...held, held: START })).toBe(3);
    expect(await count({ ...held, held: START + 1000 })).toBe(4);
    expect(await count({ ...held, held: 'none' })).toBe(1);
  });
});
