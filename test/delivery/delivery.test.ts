import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Store } from '../../src/store';
import { type RunningDelivery, START } from './running-delivery';
import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the delivery', () => {
  const deliveries = useDeliveries('sqlite', 'sample school');
  const { database, sms, push, make, start } = deliveries;
  let store: Store;
  beforeEach(() => {
    ({ store } = deliveries);
  });
  const message = async (id: string) => (await store.deliveries.list({ ids: [id] }, 1))[0];

  describe('when the clock is set', () => {
    it('forward by an hour, expires the codes that are then too old, and sends the push messages', async () => {
      const service = start();
      sms().usual = { status: 503 };
      push().usual = { status: 503 };
      await service.sendCode('1');
      await service.sendMarks();
      await service.line({ channel: 'sms', state: 'queued' });
      await service.line({ channel: 'push', state: 'queued' });
      sms().usual = push().usual = { status: 200 };
      service.pass(HOUR);
      await service.line({ channel: 'sms', state: 'expired' });
      await service.line({ channel: 'push', state: 'sent' });
      expect(sms().received).toHaveLength(1);
    });

    it('back by an hour, sends the waiting codes at once, or drops them when their lifetime is over', async () => {
      const service = make();
      await service.sendCode('1');
      await service.sendCode('2');
      service.now -= HOUR;
      sms().next.push({ status: 503, headers: { 'Retry-After': '300' } });
      service.delivery.start();
      const sent = await service.line({ channel: 'sms', state: 'sent' });
      const delayed = await service.line({ channel: 'sms', state: 'queued' });
      service.pass(5 * MINUTE);
      const expired = await service.line({ channel: 'sms', state: 'expired' });
      expect(expired.messageId).toBe(delayed.messageId);
      expect(sent.messageId).not.toBe(delayed.messageId);
      expect(sms().received).toHaveLength(2);
    });

    it('back by an hour while it runs, does not delay a code by an hour', async () => {
      const service = start();
      sms().next.push({ status: 503, headers: { 'Retry-After': '60' } });
      await service.sendCode('1');
      await service.line({ channel: 'sms', state: 'queued' });
      service.now -= HOUR;
      service.pass(MINUTE); // As the provider asked for.
      expect(await service.line({ channel: 'sms', state: 'sent' })).toMatchObject({ attempt: 2 });
      expect(service.now).toBeLessThan(START); // Nobody has waited for the clock to catch up.
    });
  });

  it('stores at a stop what it has refused shortly before', async () => {
    const service = start({ ALLOWED_COUNTRIES: 'TR' });
    const phone = '+4915112345678';
    expect(await service.sendCode('1', phone)).toEqual({ kind: 'country-not-served' });
    await deliveries.stopAll();
    expect(await store.refusals.ofPhone(phone)).toMatchObject([{ reason: 'country', times: 1 }]);
  });

  it('masks a phone number once the limits no longer need it', async () => {
    const service = start();
    await service.sendCode('1');
    const { messageId } = await service.line({ state: 'sent' });
    service.now += 24 * HOUR;
    const recipient = async () => (await message(messageId))?.recipient;
    while ((await recipient()) === '+905551112233') await nextTurn(); // The poll does it.
    expect(await recipient()).toBe('+90...33');
  });

  it('sends a code while ten thousand push messages wait', async () => {
    const service = start({ SMS_CONCURRENCY: '1' });
    push().usual = 'never answers';
    await store.write((transaction) =>
      transaction.messages.enqueueAll(
        Array.from({ length: 10_000 }, (_, at) => ({
          channel: 'push' as const,
          recipient: `D${String(at)}`,
          school: 'http://school.example',
          payload: { note: 'N1' },
          createdAt: service.now,
          expiresAt: service.now + HOUR,
          dedupeKey: null,
        })),
      ),
    );
    service.delivery.wake('push');
    await service.sendCode('84021');
    await service.line({ channel: 'sms', state: 'sent' });
    const metrics = await service.registry.metrics();
    expect(metrics).toMatch(/delivery_queued_messages\{channel="push"\} \d{4}/);
    expect(metrics).toContain('delivery_queued_messages{channel="sms"} 0');
    expect(metrics).toContain('delivery_messages_total{channel="sms",state="sent"} 1');
  });

  it('takes over the messages of a dead worker once their lease has expired', async () => {
    const service = make();
    await service.sendCode('1');
    const claim = { channel: 'sms', owner: 'dead', limit: 1, now: service.now } as const;
    const [leased] = await store.outbox.claim({ ...claim, leaseUntil: service.now + 30_000 });
    service.delivery.start();
    expect(await store.outbox.claim({ ...claim, leaseUntil: service.now + 30_000 })).toEqual([]);
    expect(sms().received).toEqual([]);
    service.pass(30_000);
    expect(await service.line({ state: 'sent' })).toMatchObject({ messageId: leased?.id, attempt: 2 });
  });

  it('shares the work: no message is sent by two workers', async () => {
    const other = await database.open();
    const second = make({}, other);
    second.delivery.start();
    const services = [start(), second];
    const [first] = services as [RunningDelivery];
    const phones = Array.from({ length: 60 }, (_, at) => `+9055511${String(10_000 + at)}`);
    await Promise.all(phones.map((phone) => first.sendCode('1', phone)));
    for (const service of services) service.pass(0);
    await sms().receives(60);
    await deliveries.stopAll();
    expect(sms().received).toHaveLength(60);
    expect((await store.deliveries.list({ state: 'sent' }, 100)).length).toBe(60);
  });

  it('finishes the attempts under way when it stops, and leaves the rest queued', async () => {
    const service = start({ SMS_CONCURRENCY: '1' });
    for (let at = 0; at < 3; at += 1) await service.sendCode('1', `+90555111220${String(at)}`);
    await sms().receives(1);
    await service.delivery.stop(1000);
    const states = (await store.deliveries.list({}, 10)).map(({ state }) => state);
    expect(states).not.toContain('sending');
    expect(states).toContain('sent');
  });

  it('aborts an attempt that exceeds the time to stop', async () => {
    const service = start();
    sms().usual = 'never answers';
    await service.sendCode('1');
    await sms().receives(1);
    await service.delivery.stop(100);
    expect(await service.line({})).toMatchObject({ state: 'failed', outcome: 'unknown' });
  });
});
