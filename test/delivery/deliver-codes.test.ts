import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Store } from '../../src/store';
import { listMessages } from '../harness/list-messages';
import { START } from './running-delivery';
import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the delivery with a code', () => {
  const deliveries = useDeliveries('sqlite');
  const { database, sms, make, start } = deliveries;
  let store: Store;
  beforeEach(() => {
    ({ store } = deliveries);
  });

  it('sends it at once and erases it', async () => {
    const service = start();
    await service.sendCode('84021');
    expect(JSON.parse((await sms().receives(1))[0]?.body ?? '')).toEqual({
      to: '+905551112233',
      text: 'Your code is 84021',
    });
    await service.line({ state: 'sent' });
    expect((await listMessages(store, 1))[0]).toMatchObject({ state: 'sent', payload: null });
    expect(service.log).not.toMatch(/84021|5551112233/);
  });

  it('writes it to a file if it goes to one of TEST_NUMBERS, and sends the others', async () => {
    const service = start({ TEST_NUMBERS: '+905551112233, 0555 111 22 44', DEFAULT_COUNTRY: 'TR' });
    await service.sendCode('84021');
    await service.sendCode('84022', '+905551112244');
    await service.sendCode('84023', '+905551112255');
    await service.lines(2, { state: 'written' });
    await service.lines(1, { state: 'sent' });
    expect(sms().received.map(({ body }) => body)).toEqual([
      '{"to":"+905551112255","text":"Your code is 84023"}',
    ]);
    const written = readFileSync(join(database.folder, 'outbox', 'sms.jsonl'), 'utf8');
    expect(written.match(/8402\d/g)?.toSorted()).toEqual(['84021', '84022']);
  });

  it('logs how many parts it was sent in, by the rules of the country', async () => {
    const file = join(database.folder, 'delivery.json');
    writeFileSync(file, JSON.stringify({ countries: { TR: { smsShiftTable: 'turkish' } } }));
    const service = start({ DELIVERY_FILE: file, SMS_TEXT: `{code} ${'ş'.repeat(75)}` });
    sms().next.push({ status: 503 });
    await service.sendCode('1234');
    expect(await service.line({ state: 'queued', waitMs: 500 })).not.toHaveProperty('parts');
    service.pass(500);
    expect(await service.line({ state: 'sent' })).toMatchObject({ attempt: 2, parts: 1 });
    await service.sendCode('12345');
    expect(await service.line({ state: 'sent', attempt: 1 })).toMatchObject({ parts: 2 });
  });

  it('retries a failure with growing waits until the code expires', async () => {
    const service = start();
    sms().usual = { status: 503 };
    await service.sendCode('1');
    const { messageId } = await service.line({ attempt: 1, waitMs: 500 });
    service.pass(500);
    for (const [at, waitMs] of [1000, 2000, 4000, 8000, 10_000, 10_000].entries()) {
      expect(await service.line({ attempt: at + 2 })).toMatchObject({ state: 'queued', waitMs });
      service.pass(waitMs);
    }
    service.pass(5 * MINUTE);
    await service.line({ state: 'expired' });
    // Why it came to that, and not only that it is too late.
    expect((await store.deliveries.list({ ids: [messageId] }, 1))[0]).toMatchObject({
      state: 'expired',
      reason: { code: 'provider_failing', status: 503 },
    });
  });

  it('still sends a code after the gateway failed for 20 seconds', async () => {
    const service = start();
    sms().usual = { status: 503 };
    await service.sendCode('1');
    for (let attempt = 1; service.now < START + 20_000; attempt += 1) {
      const { waitMs = 0 } = await service.line({ attempt });
      service.pass(waitMs);
    }
    sms().usual = { status: 200 };
    service.pass(10_000);
    expect(await service.line({ state: 'sent' })).toMatchObject({ outcome: 'sent' });
  });

  it('waits as long as the provider asks for, as do the codes behind it', async () => {
    const service = make();
    sms().usual = { status: 429, headers: { 'Retry-After': '17' } };
    await service.sendCode('1');
    service.startWithOneClaim();
    await service.line({ attempt: 1, outcome: 'busy' });
    await store.outbox.backlog();
    await service.sendCode('2', '+905551112234');
    service.pass(17_000 - 1);
    await store.outbox.backlog();
    expect(sms().received).toHaveLength(1);
    sms().usual = { status: 200 };
    service.pass(1);
    expect(await service.line({ outcome: 'sent' })).toMatchObject({ attempt: 2 });
    service.pass(10_000);
    expect(await service.line({ attempt: 1, outcome: 'sent' })).toMatchObject({ state: 'sent' });
  });

  it('does not resend a code that may have been sent', async () => {
    const service = start();
    sms().next.push('resets after reading');
    await service.sendCode('1');
    expect(await service.line({})).toMatchObject({ state: 'failed', outcome: 'unknown' });
    expect(sms().received).toHaveLength(1);
  });

  it('resends a code that may have been sent if the gateway recognizes a message by its id', async () => {
    const service = start(
      {},
      { idempotent: true, type: 'form', body: '{id}', headers: { 'X-Both': '{phone}{text}' } },
    );
    sms().next.push('resets after reading');
    await service.sendCode('1');
    const { messageId } = await service.line({ state: 'queued', outcome: 'unknown' });
    service.pass(MINUTE);
    await service.line({ state: 'sent' });
    expect(sms().received.map(({ body }) => body)).toEqual([messageId, messageId]);
  });

  it('does not send it after it has expired, and erases it', async () => {
    const service = make();
    await service.sendCode('1');
    service.now += HOUR;
    service.delivery.start();
    await service.line({ state: 'expired' });
    expect((await listMessages(store, 1))[0]).toMatchObject({ state: 'expired', payload: null });
    expect(sms().received).toEqual([]);
  });

  it('retries it before it expires even if the provider asks for a longer wait', async () => {
    const service = make();
    sms().next.push({ status: 429, headers: { 'Retry-After': '1000000000' } });
    await service.sendCode('1');
    service.startWithOneClaim();
    await service.line({ outcome: 'busy' });
    service.pass(75_000);
    expect(await service.line({ state: 'sent' })).toMatchObject({ attempt: 2 });
  });

  it('waits without using up attempts while the circuit is open, and sends it after a probe', async () => {
    const service = start({ SMS_CONCURRENCY: '10' });
    sms().usual = { status: 500 };
    const phone = (at: number): string => `+9055511122${String(10 + at)}`;
    for (let at = 0; at < 10; at += 1) await service.sendCode('1', phone(at));
    await service.lines(10, { outcome: 'failing' });
    expect(service.log).toContain('provider failing, circuit opened');
    expect(await service.registry.metrics()).toContain('delivery_circuit_open{channel="sms"} 1');

    for (let at = 10; at < 15; at += 1) await service.sendCode('1', phone(at));
    service.pass(15_000 - 1);
    await store.outbox.backlog();
    expect(sms().received).toHaveLength(10);
    sms().usual = { status: 200 };
    service.pass(1);
    const sent = await service.lines(15, { state: 'sent' });
    expect(sent.filter(({ attempt }) => attempt === 1)).toHaveLength(5);
    expect(sent.filter(({ attempt }) => attempt === 2)).toHaveLength(10);
    expect(sms().received).toHaveLength(25);
    expect(await service.registry.metrics()).toContain('delivery_circuit_open{channel="sms"} 0');
  });
});
