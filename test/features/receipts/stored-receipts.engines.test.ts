import { pino } from 'pino';
import { Registry } from 'prom-client';

import { loadConfig } from '../../../src/config';
import { type Receipt, Receipts } from '../../../src/features/receipts/stored-receipts';
import { takeReceipts } from '../../../src/features/receipts/take-receipts';
import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;

describe.each(ENGINES)('receipts on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let receipts: Receipts;

  beforeEach(async () => {
    store = await database.open();
    receipts = new Receipts(store);
  });

  async function enqueue(): Promise<string> {
    return store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + 300_000 },
    });
  }

  /** Records every queued message as sent. */
  async function settle(providerId: string, awaitsReceipt = true, gateway = 'twilio'): Promise<void> {
    const leaseUntil = START + 30_000;
    const claimed = await store.outbox.claim({
      channel: 'sms',
      owner: 'w',
      limit: 9,
      now: START,
      leaseUntil,
    });
    for (const { id } of claimed) {
      await store.outbox.settle({
        ...{ id, owner: 'w', leaseUntil, state: 'sent', nextAttemptAt: START, attempted: true, erase: true },
        ...{ providerId, awaitsReceipt, gateway, reason: null, now: START },
        attempt: {
          ...{ at: START, provider: gateway, outcome: 'sent', status: 200, reason: null },
          ...{ milliseconds: 5, parts: 1 },
        },
      });
    }
  }

  async function send(providerId: string, awaitsReceipt = true, gateway = 'twilio'): Promise<string> {
    const id = await enqueue();
    await settle(providerId, awaitsReceipt, gateway);
    return id;
  }

  const receipt = (providerId: string, more: Partial<Receipt> = {}): Receipt => ({
    ...{ gateway: 'twilio', providerId, state: 'delivered', code: null, at: START + 4000, parts: null },
    ...more,
  });
  const read = async (id: string) => (await store.deliveries.list({ ids: [id] }, 1))[0];

  it('are expected from gateways that send them', async () => {
    const [awaited, never] = [await send('a'), await send('b', false)];
    expect(await read(awaited)).toMatchObject({ state: 'sent', receipt: 'waiting', parts: 1 });
    expect(await read(never)).toMatchObject({ state: 'sent', receipt: null });
    expect(await receipts.record([receipt('b')], START)).toEqual(['early']);
    expect(await read(never)).toMatchObject({ receipt: null, receiptAt: null });
  });

  it('are recorded beside the state, with code, time and parts', async () => {
    const [one, two] = [await send('a'), await send('b')];
    const lost = receipt('b', { state: 'undelivered', code: '30003: off', isExact: true, parts: 3 });
    expect(await receipts.record([receipt('a'), lost], START)).toEqual(['recorded', 'recorded']);
    expect(await read(one)).toMatchObject({
      ...{ state: 'sent', receipt: 'delivered', receiptCode: null, receiptAt: START + 4000, parts: 1 },
      isReceiptExact: false,
    });
    expect(await read(two)).toMatchObject({
      ...{ state: 'sent', receipt: 'undelivered', receiptCode: '30003: off', parts: 3, isReceiptExact: true },
    });
  });

  it('count once for each SMS: the first wins, in one call or two', async () => {
    const id = await send('a');
    const later = receipt('a', { state: 'undelivered', code: '1' });
    expect(await receipts.record([receipt('a'), later], START)).toEqual(['recorded', 'repeated']);
    expect(await receipts.record([later], START)).toEqual(['repeated']);
    expect(await read(id)).toMatchObject({ receipt: 'delivered', receiptCode: null });
  });

  it('belong to the gateway that took the SMS', async () => {
    const [other, pinned] = [await send('a', true, 'vonage'), await send('b', true, 'twilio!')];
    expect(await receipts.record([receipt('a'), receipt('b')], START)).toEqual(['early', 'recorded']);
    expect(await read(other)).toMatchObject({ receipt: 'waiting' });
    expect(await read(pinned)).toMatchObject({ receipt: 'delivered' });
  });

  it('wait for an SMS that is not recorded as sent yet', async () => {
    const id = await enqueue();
    const lost = receipt('a', { state: 'undelivered', code: '7', isExact: true, parts: 2 });
    expect(await receipts.record([lost, { ...lost }], START)).toEqual(['early', 'repeated']);
    expect(await receipts.record([receipt('a')], START)).toEqual(['repeated']);
    expect(await receipts.joinEarly(START)).toEqual({ recorded: [], unknown: [] });
    await settle('a');
    // The first one counts, although it is not recorded with the SMS yet.
    expect(await receipts.record([receipt('a')], START)).toEqual(['repeated']);
    // The clock may have been set forward meanwhile.
    expect(await receipts.joinEarly(START + 9 * HOUR)).toEqual({ recorded: [lost], unknown: [] });
    expect(await read(id)).toMatchObject({
      ...{ receipt: 'undelivered', receiptCode: '7', isReceiptExact: true, parts: 2 },
    });
    expect(await receipts.record([receipt('a')], START)).toEqual(['repeated']);
    expect(await receipts.joinEarly(START + 49 * HOUR)).toEqual({ recorded: [], unknown: [] });
  });

  it('are recorded although a thousand others came before for SMS that do not exist', async () => {
    const invented = Array.from({ length: 1000 }, (_, at) => receipt(`invented ${String(at)}`));
    await receipts.record(invented, START);
    await receipts.record([receipt('a')], START + 1);
    const id = await send('a');
    expect((await receipts.joinEarly(START + 2)).recorded).toEqual([receipt('a')]);
    expect(await read(id)).toMatchObject({ receipt: 'delivered' });
    // The others go on waiting for theirs.
    expect(await receipts.record(invented, START + 3)).toEqual(invented.map(() => 'repeated'));
  });

  it('that come early wait for the SMS of their gateway, although another one has given the same id', async () => {
    const other = receipt('a', { gateway: 'netgsm' });
    expect(await receipts.record([receipt('a'), other], START)).toEqual(['early', 'early']);
    await send('a');
    expect(await receipts.joinEarly(START)).toEqual({ recorded: [receipt('a')], unknown: [] });
    const id = await send('a', true, 'netgsm');
    expect(await receipts.joinEarly(START + 1)).toEqual({ recorded: [other], unknown: [] });
    expect(await read(id)).toMatchObject({ receipt: 'delivered' });
  });

  it('that no rule describes are noted beside their SMS until another one comes', async () => {
    const id = await send('a');
    await receipts.noteUnmatched([
      { gateway: 'twilio', providerId: 'a', unmatched: '999' },
      { gateway: 'twilio', providerId: 'invented', unmatched: '1' },
    ]);
    expect(await read(id)).toMatchObject({ receipt: 'waiting', receiptCode: '999' });
    await receipts.record([receipt('a')], START);
    expect(await read(id)).toMatchObject({ receipt: 'delivered', receiptCode: null });
    await receipts.noteUnmatched([{ gateway: 'twilio', providerId: 'a', unmatched: '999' }]);
    expect(await read(id)).toMatchObject({ receipt: 'delivered', receiptCode: null });
  });

  it('are dropped after 48 hours without an SMS', async () => {
    await receipts.record([receipt('x')], START);
    expect(await receipts.joinEarly(START + 48 * HOUR)).toEqual({ recorded: [], unknown: [] });
    expect(await receipts.joinEarly(START + 48 * HOUR + 1)).toEqual({
      recorded: [],
      unknown: [receipt('x')],
    });
  });

  it('are counted as unknown when they are dropped', async () => {
    const registry = new Registry();
    const taker = takeReceipts({
      ...{ store, registry, now: () => START },
      ...{ config: loadConfig({ DATA_DIR: database.folder }), logger: pino({ level: 'silent' }) },
    });
    const sent = taker.follow({ asked: [] }, () => undefined);
    await receipts.record([receipt('x')], START);
    await sent.look(START + 48 * HOUR + 1);
    await sent.close();
    expect(await registry.getSingleMetricAsString('delivery_receipts_total')).toContain(
      '{gateway="twilio",result="unknown"} 1',
    );
  });

  it('keep no more than 10,000 early ones of a gateway, and join those of the others', async () => {
    for (let at = 0; at < 11; at += 1) {
      const many = Array.from({ length: 950 }, (_, each) => receipt(`${String(at)} ${String(each)}`));
      const results = await receipts.record(many, START);
      expect(results.filter((result) => result === 'early')).toHaveLength(at < 10 ? 950 : 500);
      expect(results.at(-1)).toBe(at < 10 ? 'early' : 'unknown');
    }
    expect(await receipts.record([receipt('y')], START)).toEqual(['unknown']);
    const other = receipt('y', { gateway: 'netgsm' });
    expect(await receipts.record([other], START - 1)).toEqual(['early']);
    await send('y', true, 'netgsm');
    expect(await receipts.joinEarly(START)).toEqual({ recorded: [other], unknown: [] });
  });

  describe('that a gateway is polled for', () => {
    const MINUTE = 60_000;
    const AGES = [MINUTE, 2 * MINUTE, 48 * HOUR];
    const take = (age: number, gateway = 'netgsm', limit = 9, since = MINUTE) =>
      receipts.takeUnreported(gateway, AGES, limit, {
        ...{ last: START + age - since + 1, now: START + age + 1 },
      });

    it('are due for SMS that reach one of the ages', async () => {
      await send('a', true, 'netgsm');
      for (const age of [0, MINUTE - 2, 3 * MINUTE + 1, HOUR, 48 * HOUR - 2, 49 * HOUR]) {
        expect([age, await take(age)]).toEqual([age, []]);
      }
      for (const age of AGES) expect([age, await take(age)]).toEqual([age, ['a']]);
    });

    it('are only those missing for its own SMS', async () => {
      await send('a', true, 'netgsm!');
      await send('b', true, 'netgsm');
      await send('c', true, 'twilio');
      await send('d', false, 'netgsm');
      await enqueue();
      await receipts.record([receipt('b', { gateway: 'netgsm' })], START);
      expect(await take(MINUTE)).toEqual(['a']);
      expect(await take(2 * MINUTE, 'netgsm', 0)).toEqual([]);
    });

    it('are polled by one node at a time, and have no time yet', async () => {
      const id = await send('a', true, 'netgsm');
      const both = await Promise.all([take(MINUTE), take(MINUTE + 10, 'netgsm', 9)]);
      expect(both.flat()).toEqual(['a']);
      expect(await read(id)).toMatchObject({ receipt: 'waiting', receiptAt: null });
      expect(await take(2 * MINUTE)).toEqual(['a']);
    });

    it('are limited to the requested number', async () => {
      for (const id of ['a', 'b', 'c']) await send(id, true, 'netgsm');
      expect(await take(MINUTE, 'netgsm', 2)).toHaveLength(2);
    });
  });
});
