import type { NewAttempt, Reason, Settlement, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const START = Date.parse('2026-03-02T10:00:00Z');
const LEASE = 30_000;
const TOO_MUCH: Reason = { code: 'provider_busy', status: 429, detail: '20429' };
const BUSY: NewAttempt = {
  ...{ at: START + 1, provider: 'fcm', outcome: 'busy', status: 429, reason: TOO_MUCH },
  ...{ milliseconds: 17, parts: null },
};
const SENT: NewAttempt = {
  ...{ at: START + 2, provider: 'http', outcome: 'sent', status: 201, reason: null },
  ...{ milliseconds: 0, parts: 2 },
};
const NOBODY_ASKED: NewAttempt = {
  ...{ at: START + 3, provider: null, outcome: 'failing', status: null, reason: { code: 'service_failed' } },
  ...{ milliseconds: null, parts: null },
};

describe.each(ENGINES)('the attempts to deliver a message on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let id: string;

  beforeEach(async () => {
    store = await database.open();
    id = await add();
  });

  function add(): Promise<string> {
    return store.messages.enqueue({
      ...{ channel: 'push', recipient: 'D1', school: '', payload: { note: '1' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + 300_000 },
    });
  }
  /** Claims the message, and settles it so. */
  async function settle(more: Partial<Settlement> = {}): Promise<boolean> {
    const claim = { channel: 'push', limit: 9, now: START, leaseUntil: START + LEASE } as const;
    await store.outbox.claim({ ...claim, owner: 'w' });
    return store.outbox.settle({
      ...{ id, owner: 'w', leaseUntil: START + LEASE, state: 'queued', nextAttemptAt: START },
      ...{ attempted: true, erase: false, providerId: null, reason: null, now: START, ...more },
    });
  }
  const attempts = () => store.deliveries.listAttempts(id);

  it('are kept one by one, in order, with all details', async () => {
    expect(await settle({ attempt: BUSY })).toBe(true);
    expect(await settle()).toBe(true); // Nothing was tried.
    expect(await settle({ attempt: NOBODY_ASKED })).toBe(true);
    expect(await settle({ attempt: SENT, state: 'sent', providerId: 'SM1' })).toBe(true);
    expect(await attempts()).toEqual([
      { ...BUSY, number: 1, providerId: null },
      { ...NOBODY_ASKED, number: 2, providerId: null },
      { ...SENT, number: 3, providerId: 'SM1' },
    ]);
    expect((await listMessages(store, 1))[0]).toMatchObject({ state: 'sent', attempts: 4 });
    expect(await store.deliveries.listAttempts('another')).toEqual([]);
  });

  it('continue their numbering when the operator retries the message', async () => {
    await settle({ attempt: BUSY, state: 'failed' });
    expect(await store.deliveries.retry({ ids: [id] }, START)).toBe(1);
    await settle({ attempt: SENT, state: 'sent' });
    expect((await attempts()).map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'busy'],
      [2, 'sent'],
    ]);
  });

  it('leave the message with the most informative reason', async () => {
    const reason = async () => (await store.deliveries.list({ ids: [id] }, 1))[0]?.reason;
    await settle({ reason: null, keepsReason: true });
    expect(await reason()).toBeNull();
    await settle({ reason: TOO_MUCH });
    await settle({ reason: null, keepsReason: true }); // It waits.
    expect(await reason()).toEqual(TOO_MUCH);
    await settle({ reason: { code: 'expired' }, state: 'expired', keepsReason: true });
    expect(await reason()).toEqual(TOO_MUCH);
    await store.deliveries.retry({ ids: [id] }, START);
    await settle({ reason: { code: 'expired' }, state: 'expired', keepsReason: true });
    expect(await reason()).toEqual({ code: 'expired' });
  });

  it('are no longer kept beyond a limit, except for the last one', async () => {
    let kept = 0;
    for (let made = 1; made <= 200 && kept === (await attempts()).length; made += 1) {
      await settle({ attempt: BUSY });
      kept += 1;
    }
    expect(kept).toBeGreaterThan(50);
    expect(kept).toBeLessThan(200);
    await settle({ attempt: SENT, state: 'sent' });
    expect((await attempts()).at(-1)).toMatchObject(SENT);
  });

  it('are not kept for a worker that lost the message', async () => {
    expect(await settle({ attempt: BUSY, owner: 'other' })).toBe(false);
    expect(await attempts()).toEqual([]);
    expect((await listMessages(store, 1))[0]).toMatchObject({ state: 'sending' });
  });

  it('are rolled back with the rest of their transaction', async () => {
    const claim = { channel: 'push', owner: 'w', limit: 1, now: START, leaseUntil: START + LEASE } as const;
    await store.outbox.claim(claim);
    const settlement: Settlement = {
      ...{ id, owner: 'w', leaseUntil: START + LEASE, state: 'sent', nextAttemptAt: START, attempted: true },
      ...{ erase: false, providerId: null, reason: null, now: START, attempt: SENT },
    };
    const work = store.write(async ({ outbox }) => {
      expect(await outbox.settle(settlement)).toBe(true);
      throw new Error('undone');
    });
    await expect(work).rejects.toThrow('undone');
    expect(await attempts()).toEqual([]);
    expect(await store.outbox.settle(settlement)).toBe(true);
    expect(await attempts()).toHaveLength(1);
  });
});
