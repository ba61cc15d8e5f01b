import type { MessageState, Reason, Settlement, Store } from '../../../src/store';
import { describeOnPostgres, ENGINES, useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;
const REJECTED = { code: 'account_stopped', status: 403 } as const;
const EXPIRED = { code: 'expired' } as const;
const REASONS: Readonly<Record<string, Reason>> = {
  failed: REJECTED,
  expired: EXPIRED,
  suppressed: { code: 'repeated' },
};

function notSent(count: number, pushes: number, first: Reason, others = 0): Reason {
  return { code: 'pushes_not_sent', notSent: count, pushes, first, others };
}

type PushEnd = 'sent' | 'failed' | 'expired' | 'suppressed';

describe.each(ENGINES)('the end of a SendMarkNotes request on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const note = { school: 'http://a.example', payload: { note: 'N1' }, dedupeKey: null, createdAt: START };
  async function settle(
    channel: 'mark' | 'push',
    states: readonly Settlement['state'][],
    on = store,
  ): Promise<void> {
    const leaseUntil = START + HOUR;
    const claim = { channel, owner: 'w', now: START, leaseUntil } as const;
    for (const state of states) {
      const [claimed] = await on.outbox.claim({ ...claim, limit: 1 });
      const settled = await on.outbox.settle({
        ...{ id: claimed?.id ?? '', owner: 'w', leaseUntil, state, nextAttemptAt: START, attempted: true },
        ...{ erase: false, providerId: null, reason: REASONS[state] ?? null, now: START },
      });
      expect(settled).toBe(true);
    }
  }
  /** A request that was made into so many push messages. */
  async function resolve(pushes: number): Promise<string> {
    const request = await store.messages.enqueue({
      ...{ ...note, channel: 'mark', recipient: '1A', expiresAt: START + HOUR },
    });
    await settle('mark', ['open']);
    await store.write(async ({ markRequests, messages }) => {
      await markRequests.resolved(request, 5, START);
      const devices = Array.from({ length: pushes }, (_, at) => `D${String(at)}`);
      await messages.enqueueAll(
        devices.map((recipient) => ({
          ...{ ...note, channel: 'push', recipient, expiresAt: START + HOUR, requestId: request },
        })),
      );
    });
    return request;
  }
  const end = (ids: readonly string[], on = store) =>
    on.write(({ requestEnds }) => requestEnds.end(ids, START + 7));
  const record = async (id: string) => (await store.deliveries.list({ ids: [id] }, 1))[0];

  it.each<readonly [readonly PushEnd[], MessageState, Reason | null]>([
    [['sent', 'sent'], 'sent', null],
    [['sent', 'failed', 'failed'], 'partly', notSent(2, 3, REJECTED)],
    [['failed', 'failed'], 'failed', notSent(2, 2, REJECTED)],
    [['failed', 'expired', 'failed'], 'failed', notSent(3, 3, REJECTED, 1)],
    [['expired', 'expired'], 'expired', notSent(2, 2, EXPIRED)],
    [['suppressed', 'suppressed'], 'suppressed', notSent(2, 2, { code: 'repeated' })],
    [['suppressed', 'expired', 'expired'], 'failed', notSent(3, 3, EXPIRED, 1)],
    [['sent', 'expired'], 'partly', notSent(1, 2, EXPIRED)],
    [[], 'failed', { code: 'no_devices' }],
  ])('with push messages that are %j is %s', async (ends, state, reason) => {
    const request = await resolve(ends.length);
    await settle('push', ends);
    const [reported] = await end([request]);
    expect(reported).toMatchObject({ id: request, state, withoutDevice: 5, createdAt: START });
    expect(reported?.counts.reduce((sum, { messages }) => sum + messages, 0)).toBe(ends.length);
    expect(await record(request)).toMatchObject({ state, reason, withoutDevice: 5, updatedAt: START + 7 });
    expect(await end([request])).toEqual([]);
  });

  it('is not reached while a push message waits or is being sent, and is found even if not noticed', async () => {
    const request = await resolve(2);
    const other = await resolve(0);
    await settle('push', ['sent', 'queued']);
    expect(await store.requestEnds.openAfter('')).toEqual([
      { id: request, isUnderWay: true },
      { id: other, isUnderWay: false },
    ]);
    expect(await store.requestEnds.openAfter(request)).toEqual([{ id: other, isUnderWay: false }]);
    await store.outbox.claim({ channel: 'push', owner: 'x', limit: 1, now: START, leaseUntil: START + 1 });
    expect(await end([request])).toEqual([]);
    expect(await record(request)).toMatchObject({ state: 'open' });
    await store.outbox.requeueAbandoned(START + 1);
    await store.deliveries.cancel({ channel: 'push' }, START);
    expect(await end([request, other])).toMatchObject([{ id: request, state: 'partly' }, { id: other }]);
    expect(await store.requestEnds.openAfter('')).toEqual([]);
  });

  it('is reported once, whichever workers settle the last push messages at the same time', async () => {
    const others = [store, await database.open()];
    const requests: string[] = [];
    for (let at = 0; at < 10; at += 1) requests.push(await resolve(2));
    const reported = await Promise.all(
      others.map(async (each) => {
        const found: string[] = [];
        let left = requests.length;
        while (left-- > 0) {
          await settle('push', ['sent'], each);
          found.push(...(await end(requests, each)).map(({ id }) => id));
        }
        return found;
      }),
    );
    expect(reported.flat().toSorted()).toEqual(requests.toSorted());
  });

  it('is undone when its push messages are retried, one or all of them', async () => {
    const request = await resolve(3);
    await settle('push', ['sent', 'failed', 'failed']);
    await end([request]);
    const [failed] = await store.deliveries.list({ request, state: 'failed' }, 1);
    expect(await store.deliveries.retry({ ids: [failed?.id ?? ''] }, START)).toBe(1);
    expect(await record(request)).toMatchObject({ state: 'open', reason: null, withoutDevice: 5 });
    expect(await end([request])).toEqual([]);
    await settle('push', ['failed']);
    expect(await end([request])).toMatchObject([{ state: 'partly' }]);

    expect(await store.deliveries.retry({ ids: [request] }, START)).toBe(2);
    expect(await record(request)).toMatchObject({ state: 'open' });
    await settle('push', ['sent', 'sent']);
    expect(await end([request])).toMatchObject([{ state: 'sent' }]);
    expect(await store.deliveries.retry({ ids: [request] }, START)).toBe(0);
  });

  it('is undone by a retry of everything that failed, which counts no message twice', async () => {
    const request = await resolve(2);
    await settle('push', ['failed', 'failed']);
    await end([request]);
    expect(await store.deliveries.retry({ state: 'failed' }, START)).toBe(2);
    expect(await record(request)).toMatchObject({ state: 'open', attempts: 1 });
    expect(await store.deliveries.list({ state: 'queued' }, 9)).toHaveLength(2);
  });

  it('is reached when the rest is cancelled with the request, which keeps what was sent', async () => {
    const request = await resolve(3);
    await settle('push', ['sent']);
    expect(await store.deliveries.cancel({ ids: [request] }, START)).toBe(2);
    expect(await end([request])).toMatchObject([{ state: 'partly' }]);
    const reason = notSent(2, 3, { code: 'cancelled' });
    expect(await record(request)).toMatchObject({ state: 'partly', reason });
  });
});

describeOnPostgres('a retry on PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('waits for requests being ended, and reopens them', async () => {
    const store = await database.open();
    const request = await store.messages.enqueue({
      ...{ channel: 'mark', recipient: '1A', school: '', payload: { note: '1' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + HOUR },
    });
    const push = await store.messages.enqueue({
      ...{ channel: 'push', recipient: 'D1', school: '', payload: { note: '1' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + HOUR, requestId: request },
    });
    for (const [channel, state] of [
      ['mark', 'open'],
      ['push', 'failed'],
    ] as const) {
      const lease = { owner: 'w', leaseUntil: START + HOUR };
      const [claimed] = await store.outbox.claim({ channel, ...lease, limit: 1, now: START });
      await store.outbox.settle({
        ...{ id: claimed?.id ?? '', ...lease, state, nextAttemptAt: START, attempted: true, erase: false },
        ...{ providerId: null, reason: null, now: START },
      });
    }
    await store.write(({ markRequests }) => markRequests.resolved(request, 0, START));
    const other = await database.open();
    let retried: Promise<number> | undefined;
    await store.write(async ({ requestEnds }) => {
      expect(await requestEnds.end([request], START)).toMatchObject([{ state: 'failed' }]);
      retried = other.deliveries.retry({ ids: [push] }, START);
    });
    expect(await retried).toBe(1);
    expect(await store.deliveries.list({ ids: [request] }, 1)).toMatchObject([{ state: 'open' }]);
  });
});
