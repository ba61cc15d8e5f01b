import type { MessageChannel, NewMessage, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const MINUTE = 60_000;
const BECAUSE = { code: 'provider_rejected', status: 400 } as const;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-02T10:00:00Z');
const SCHOOL = 'http://school.example';

describe.each(ENGINES)('the operator’s work with messages on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  function add(channel: MessageChannel, more: Partial<NewMessage> = {}): Promise<string> {
    const lifetime = channel === 'sms' ? 5 * MINUTE : 24 * HOUR;
    return store.messages.enqueue({
      ...{ channel, recipient: `of ${channel}`, school: channel === 'sms' ? '' : SCHOOL, dedupeKey: null },
      ...{ payload: { code: '84021' }, createdAt: START, expiresAt: START + lifetime, ...more },
    });
  }
  /** Claims what is due, and settles it so. */
  async function settle(channel: MessageChannel, state: 'sent' | 'failed' | 'expired'): Promise<void> {
    const claim = { channel, owner: 'w', limit: 99, now: START, leaseUntil: START + MINUTE } as const;
    for (const { id, leaseUntil } of await store.outbox.claim(claim)) {
      await store.outbox.settle({
        ...{
          id,
          owner: 'w',
          leaseUntil,
          state,
          nextAttemptAt: START,
          attempted: true,
          providerId: null,
          now: START,
        },
        ...{ erase: channel === 'sms' && state !== 'failed', reason: state === 'sent' ? null : BECAUSE },
      });
    }
  }
  const states = async (ids: readonly string[]): Promise<readonly string[]> => {
    const records = await store.deliveries.list({ ids }, 99);
    return ids.map((id) => records.find((each) => each.id === id)?.state ?? 'none');
  };

  it('lists them by state, channel and school, the newest first', async () => {
    const old = await add('mark', { createdAt: START - HOUR });
    const failed = await add('push');
    await settle('push', 'failed');
    const code = await add('sms');
    const elsewhere = await add('push', { school: `${SCHOOL}/${'x'.repeat(300)}1`, createdAt: START + 1 });
    await add('push', { school: `${SCHOOL}/${'x'.repeat(300)}2`, createdAt: START + 2 });
    const listed = async (filter: Parameters<Store['deliveries']['list']>[0]): Promise<readonly string[]> =>
      (await store.deliveries.list(filter, 99)).map(({ id }) => id);

    expect(await listed({ state: 'failed' })).toEqual([failed]);
    expect(await listed({ channel: 'sms' })).toEqual([code]);
    expect(await listed({ school: SCHOOL })).toEqual([failed, old]);
    expect(await listed({ school: `${SCHOOL}/${'x'.repeat(300)}1` })).toEqual([elsewhere]);
    expect(await listed({ ids: [code, old], channel: 'mark' })).toEqual([old]);
    expect(await store.deliveries.list({}, 2)).toHaveLength(2);
  });

  it('retries what failed, with a full set of attempts', async () => {
    const id = await add('push');
    await settle('push', 'failed');
    expect((await store.deliveries.list({ ids: [id] }, 1))[0]).toMatchObject({
      attempts: 1,
      reason: BECAUSE,
    });
    expect(await store.deliveries.retry({ ids: [id] }, START + MINUTE)).toBe(1);
    expect((await store.deliveries.list({ ids: [id] }, 1))[0]).toMatchObject({
      ...{ state: 'queued', attempts: 0, reason: null, nextAttemptAt: START + MINUTE },
      expiresAt: START + 24 * HOUR,
    });
  });

  it('gives an expired push message another day when it is retried', async () => {
    const id = await add('push');
    await settle('push', 'expired');
    const late = START + 48 * HOUR;
    expect(await store.deliveries.retry({ state: 'expired' }, late)).toBe(1);
    expect((await store.deliveries.list({ ids: [id] }, 1))[0]?.expiresAt).toBe(late + 24 * HOUR);
  });

  it('retries a code only before it expires, and nothing that was sent or waits', async () => {
    const sent = await add('sms');
    await settle('sms', 'sent');
    const failed = await add('sms');
    await settle('sms', 'failed');
    const waiting = await add('sms', { notBefore: START + MINUTE });
    expect(await store.deliveries.retry({ channel: 'sms' }, START + 5 * MINUTE)).toBe(0);
    expect(await store.deliveries.retry({ channel: 'sms' }, START + 5 * MINUTE - 1)).toBe(1);
    expect(await states([sent, failed, waiting])).toEqual(['sent', 'queued', 'queued']);
  });

  it('cancels what waits, erases its codes, and leaves what is being sent', async () => {
    const leased = await add('push');
    await store.outbox.claim({ channel: 'push', owner: 'w', limit: 1, now: START, leaseUntil: START + 1 });
    const code = await add('sms');
    const mark = await add('mark');
    expect(await store.deliveries.cancel({ createdAfter: START - 1 }, START)).toBe(2);
    expect(await states([leased, code, mark])).toEqual(['sending', 'suppressed', 'suppressed']);
    const messages = await listMessages(store, 9);
    expect(messages.find(({ id }) => id === code)?.payload).toBeNull();
    expect(messages.find(({ id }) => id === mark)?.payload).toEqual({ code: '84021' });
    expect((await store.deliveries.list({ ids: [code] }, 1))[0]?.reason).toEqual({ code: 'cancelled' });
    expect(await store.deliveries.retry({ ids: [code] }, START)).toBe(0); // There is nothing left to send.
  });

  it.each(['queued', 'sending', 'sent', 'failed', 'expired', 'suppressed'] as const)(
    'counts a code that is %s for a repetition only if it may reach the phone',
    async (state) => {
      const id = await add('sms', { recipient: '+905551112233' });
      if (state === 'suppressed') await store.deliveries.cancel({ ids: [id] }, START);
      else if (state === 'sending') {
        const claim = {
          channel: 'sms',
          owner: 'w',
          limit: 1,
          now: START,
          leaseUntil: START + MINUTE,
        } as const;
        await store.outbox.claim(claim);
      } else if (state !== 'queued') await settle('sms', state);
      expect(await states([id])).toEqual([state]);
      const alive = ['queued', 'sending', 'sent'].includes(state);
      expect(await store.sentCodes.endingLike('+905551112233', START - 1)).toMatchObject([{ id, alive }]);
    },
  );
});
