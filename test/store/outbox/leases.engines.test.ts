import type { Settlement, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const START = Date.parse('2026-03-02T10:00:00Z');
const LEASE = 30_000;

describe.each(ENGINES)('a lease on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let id: string;

  beforeEach(async () => {
    store = await database.open();
    id = await store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + 300_000 },
    });
  });

  const claim = (owner: string, now: number) =>
    store.outbox.claim({ channel: 'sms', owner, limit: 9, now, leaseUntil: now + LEASE });
  function settle(owner: string, claimedAt: number): Promise<boolean> {
    const settlement: Settlement = {
      ...{ id, owner, leaseUntil: claimedAt + LEASE, state: 'sent', nextAttemptAt: START, attempted: true },
      ...{ erase: true, providerId: null, reason: null, now: START },
    };
    return store.outbox.settle(settlement);
  }

  it.each([
    ['another worker', 'other'],
    ['the same worker, a second time', 'first'],
  ])('that expired is settled by the current owner of the message: %s', async (_who, second) => {
    const later = START + LEASE;
    expect(await claim('first', START)).toMatchObject([{ id }]);
    expect(await store.outbox.requeueAbandoned(later - 1)).toBe(0);
    expect(await claim(second, later)).toEqual([]);
    expect(await store.outbox.requeueAbandoned(later)).toBe(1);
    expect(await claim(second, later)).toMatchObject([{ id, attempts: 2 }]);

    expect(await settle('first', START)).toBe(false);
    expect((await listMessages(store, 1))[0]).toMatchObject({ state: 'sending' });
    expect(await settle(second, later)).toBe(true);
    expect((await listMessages(store, 1))[0]).toMatchObject({ state: 'sent' });
    expect(await settle(second, later)).toBe(false);
  });

  it('is counted if it expired or was released, and from zero after a retry', async () => {
    const abandoned = async (now: number) => (await claim('w', now))[0]?.abandoned;
    expect(await abandoned(START)).toBe(0);
    await store.outbox.release('w', START);
    expect(await abandoned(START)).toBe(1);
    await store.outbox.requeueAbandoned(START + LEASE);
    expect(await abandoned(START + LEASE)).toBe(2);
    await store.outbox.requeueAbandoned(START + 2 * LEASE);
    expect(await abandoned(START + 2 * LEASE)).toBe(3);
    await store.outbox.settle({
      ...{ id, owner: 'w', leaseUntil: START + 3 * LEASE, state: 'failed', nextAttemptAt: START },
      ...{ attempted: true, erase: false, providerId: null, reason: null, now: START },
    });
    await store.deliveries.retry({ ids: [id] }, START);
    expect(await abandoned(START)).toBe(0);
  });

  it('shows which workers are busy, and with how many messages', async () => {
    const more = { channel: 'sms', recipient: '+905551112234', school: '', payload: { code: '2' } } as const;
    for (const createdAt of [START + 1, START + 2]) {
      await store.messages.enqueue({ ...more, dedupeKey: null, createdAt, expiresAt: START + 300_000 });
    }
    expect(await store.deliveries.busyWorkers()).toEqual([]);
    const wanted = { channel: 'sms', now: START + 3, leaseUntil: START + LEASE } as const;
    await store.outbox.claim({ ...wanted, owner: 'second', limit: 1 });
    await store.outbox.claim({ ...wanted, owner: 'first', limit: 2 });
    expect(await store.deliveries.busyWorkers()).toEqual([
      { owner: 'first', messages: 2 },
      { owner: 'second', messages: 1 },
    ]);
  });
});
