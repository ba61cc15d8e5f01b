import type { NewMessage, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const MINUTE = 60_000;
/** Ids never go back within a process: each test is later than those before. */
let start = Date.parse('2026-03-02T10:00:00Z');

function message(more: Partial<NewMessage> = {}): NewMessage {
  return {
    ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' }, dedupeKey: null },
    ...{ createdAt: start, expiresAt: start + 5 * MINUTE, ...more },
  };
}

describe.each(ENGINES)('the outbox on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    start += 60 * MINUTE;
    store = await database.open();
  });

  it.each([0, 1, 99, 100, 101, 250])('stores %i messages together, each exactly once', async (count) => {
    const recipients = Array.from({ length: count }, (_, at) => `D${String(at)}`);
    const messages = recipients.map((recipient) => message({ channel: 'push', recipient }));
    await store.write((transaction) => transaction.messages.enqueueAll(messages));
    const stored = await listMessages(store, 1000);
    expect(stored.map(({ recipient }) => recipient).toReversed()).toEqual(recipients);
  });

  it('lists the newest first, with everything it was stored with', async () => {
    const known = { recipient: 'D1', caller: 'panel', dedupeKey: 'key', payload: { note: 'N1' } };
    await store.messages.enqueue(message());
    await store.messages.enqueue(message({ channel: 'push', ...known, notBefore: start + 1 }));
    const [second, first, ...others] = await listMessages(store, 9);
    expect(second).toMatchObject({ ...known, channel: 'push', nextAttemptAt: start + 1 });
    expect(first).toMatchObject({ recipient: '+905551112233', caller: undefined, nextAttemptAt: start });
    expect(others).toEqual([]);
    expect(await listMessages(store, 1)).toEqual([second]);
  });

  it('counts the waiting messages of each channel, and finds the oldest and the first one due', async () => {
    expect(await store.outbox.backlog()).toEqual([]);
    for (const createdAt of [start + 2, start + 1, start + 3]) {
      await store.messages.enqueue(message({ channel: 'push', createdAt, notBefore: start }));
    }
    await store.messages.enqueue(message({ channel: 'mark', createdAt: start + 9 }));
    await store.messages.enqueue(message());
    await store.outbox.claim({ channel: 'sms', owner: 'w', limit: 9, now: start, leaseUntil: start + 1 });
    const backlog = await store.outbox.backlog();
    expect(backlog.toSorted((a, b) => a.channel.localeCompare(b.channel))).toEqual([
      { channel: 'mark', messages: 1, oldestCreatedAt: start + 9, oldestDueAt: start + 9 },
      { channel: 'push', messages: 3, oldestCreatedAt: start + 2, oldestDueAt: start },
    ]);
  });

  it('releases only codes that would wait past their lifetime after the clock was set back', async () => {
    const now = start - 60 * MINUTE;
    const delayed = await store.messages.enqueue(message());
    const notYet = await store.messages.enqueue(message({ notBefore: now + 5 * MINUTE }));
    const push = await store.messages.enqueue(message({ channel: 'push' }));
    expect(await store.outbox.releaseDelayedCodes(now, 5 * MINUTE)).toBe(1);
    const stored = await listMessages(store, 9);
    const times = (id: string) => {
      const found = stored.find((each) => each.id === id);
      return [found?.nextAttemptAt, found?.expiresAt];
    };
    expect(times(delayed)).toEqual([now, now + 5 * MINUTE]);
    expect(times(notYet)).toEqual([now + 5 * MINUTE, start + 5 * MINUTE]);
    expect(times(push)).toEqual([start, start + 5 * MINUTE]);
  });
});
