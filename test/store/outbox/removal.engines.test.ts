import { REMOVAL_STEP } from '../../../src/store/outbox/removal';
import type { MessageChannel, Settlement, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { Calendar } from '../../../src/support/calendar';

const DAY = 24 * 3_600_000;
const UTC = new Calendar('UTC');
/** Ids never go back within a process: each test has later times than those before. */
let start = Date.parse('2026-03-02T10:00:00Z');

describe.each(ENGINES)('the removal of old messages on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    start += 1000 * DAY;
    store = await database.open();
  });

  const enqueue = (channel: MessageChannel, createdAt: number, requestId?: string) =>
    store.messages.enqueue({
      ...{ channel, recipient: '1', school: 'http://a.example', payload: { note: 'N1' }, dedupeKey: null },
      ...{ createdAt, expiresAt: createdAt + DAY, ...(requestId !== undefined && { requestId }) },
    });
  /** Brings those that have been due longest in a channel to their end, one by default. */
  async function end(
    channel: MessageChannel,
    state: Settlement['state'],
    now: number,
    limit = 1,
  ): Promise<void> {
    const lease = { owner: 'w', leaseUntil: now + 1 };
    await store.write(async ({ outbox }) => {
      for (const { id } of await outbox.claim({ ...lease, channel, limit, now })) {
        await outbox.settle({
          ...{ ...lease, id, state, nextAttemptAt: now, attempted: true, now },
          ...{ erase: false, providerId: null, reason: null },
        });
      }
    });
  }
  async function resolve(now: number): Promise<string> {
    const request = await enqueue('mark', now);
    await end('mark', 'open', now);
    await store.write(({ markRequests }) => markRequests.resolved(request, 0, now));
    return request;
  }
  const endRequest = (id: string, now: number) =>
    store.write(({ requestEnds }) => requestEnds.end([id], now));
  const remove = (endedBefore: number, after = '') =>
    store.write(({ retention }) => retention.removeEnded(after, endedBefore, UTC));
  const left = async () => (await store.deliveries.list({}, 1000)).map(({ id }) => id);

  it.each(['sent', 'failed', 'expired', 'suppressed'] as const)(
    'deletes messages that are %s',
    async (state) => {
      await enqueue('push', start);
      await end('push', state, start + 1);
      expect(await remove(start + 1)).toEqual({ removed: 0, last: undefined });
      expect(await remove(start + 2)).toEqual({ removed: 1, last: undefined });
      expect(await left()).toEqual([]);
    },
  );

  it('leaves unfinished messages, however old they are', async () => {
    const taken = await enqueue('sms', start);
    await store.outbox.claim({ channel: 'sms', owner: 'w', limit: 1, now: start, leaseUntil: start + 1 });
    const open = await resolve(start);
    const queued = await enqueue('sms', start);
    expect(await remove(start + 400 * DAY)).toEqual({ removed: 0, last: undefined });
    expect(await left()).toEqual([queued, open, taken]);
  });

  it('counts the age from the final state, and starts over after a retry', async () => {
    const id = await enqueue('push', start);
    await end('push', 'failed', start);
    await store.deliveries.retry({ ids: [id] }, start + 80 * DAY);
    await end('push', 'sent', start + 80 * DAY);
    expect(await remove(start + 80 * DAY)).toMatchObject({ removed: 0 });
    expect(await remove(start + 80 * DAY + 1)).toMatchObject({ removed: 1 });
  });

  it('keeps a request and its push messages together until the last one is old enough', async () => {
    const request = await resolve(start);
    await enqueue('push', start, request);
    await end('push', 'sent', start);
    await enqueue('push', start, request);
    await end('push', 'failed', start + DAY);
    await endRequest(request, start + DAY);

    expect(await remove(start + DAY)).toMatchObject({ removed: 0 });
    expect(await left()).toHaveLength(3);
    expect(await remove(start + DAY + 1)).toMatchObject({ removed: 2 });
    expect(await left()).toEqual([request]);
    expect(await remove(start + DAY + 1)).toMatchObject({ removed: 1 });
    expect(await left()).toEqual([]);
  });

  it('keeps the push messages of a request that is retried', async () => {
    const request = await resolve(start);
    const [sent, failed] = [await enqueue('push', start, request), await enqueue('push', start, request)];
    await end('push', 'sent', start);
    await end('push', 'failed', start);
    await endRequest(request, start);
    await store.deliveries.retry({ ids: [failed] }, start + 90 * DAY);
    expect(await remove(start + 90 * DAY)).toMatchObject({ removed: 0 });
    expect(await left()).toEqual([failed, sent, request]);
  });

  it('proceeds in steps, each from the end of the last, past the messages that stay', async () => {
    const stays = await enqueue('sms', start);
    const ended: string[] = [];
    for (let at = 0; at < REMOVAL_STEP + 10; at += 1) ended.push(await enqueue('push', start));
    await end('push', 'sent', start, REMOVAL_STEP + 10);
    const young = await enqueue('push', start + DAY);

    const first = await remove(start + 1);
    expect(first).toEqual({ removed: REMOVAL_STEP - 1, last: ended[REMOVAL_STEP - 2] });
    expect(await remove(start + 1, first.last)).toEqual({ removed: 11, last: undefined });
    expect(await left()).toEqual([young, stays]);
  });
});
