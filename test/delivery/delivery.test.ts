import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { CompiledQuery } from 'kysely';

import type { Store } from '../../src/store';
import { openEngine } from '../../src/store/open-engine';
import { timeOfMessageId } from '../../src/store/outbox/messages';
import { ENGINES, type TestDatabase } from '../harness/test-databases';
import { runCommand } from '../harness/run-command';
import { type RunningDelivery, START } from './running-delivery';
import { useDeliveries } from './use-deliveries';
import { listMessages } from '../harness/list-messages';

const SAMPLE_SCHOOL = join(__dirname, '..', '..', 'scripts', 'sample-school');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function importByCommand(csv: string, { url, folder }: TestDatabase): Promise<unknown> {
  // No .env lies in that folder.
  return runCommand('import', [csv], { folder, settings: { DATABASE_URL: url } });
}

describe.each(ENGINES)('the delivery on %s', (engine) => {
  const deliveries = useDeliveries(engine);
  const { database, sms, push, make, start } = deliveries;
  let store: Store;
  beforeEach(() => {
    ({ store } = deliveries);
  });
  const message = async (id: string) => (await store.deliveries.list({ ids: [id] }, 1))[0];
  const devicesOf = async (request: string) => (await store.deliveries.list({ request }, 1000)).length;

  /** Sends a note, and waits until each of its push messages was tried once: time that goes by ends their leases. */
  async function triedOnce(service: RunningDelivery): Promise<void> {
    const request = await service.sendMarks();
    await service.line({ messageId: request, state: 'open' });
    await service.lines(await devicesOf(request), { channel: 'push', attempt: 1 });
  }

  describe('with a code', () => {
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

    it('asks the gateway for a receipt until it gets one', async () => {
      sms().usual = { status: 200, body: '{"sid":"A1"}' };
      const request = { url: `${sms().url}/report/{providerIds}` };
      const status = { pattern: '(?<status>\\w+)' };
      const states = [
        { status: 'Done', state: 'delivered' },
        { status: 'Soon', state: 'waiting' },
      ];
      const service = start({}, { receipts: { request, status, states } });
      await service.sendCode('84021');
      const sent = await service.line({ state: 'sent' });
      const answers = [
        { status: 200, body: 'Soon', log: '"recorded":0' },
        { status: 500, body: '', log: 'gateway has no result for SMS' },
        { status: 200, body: 'Done', log: '"recorded":1' },
      ];
      // The age is that of the id, which may be ahead of a clock that was put back.
      service.now = timeOfMessageId(sent.messageId) + 1;
      for (const [at, { status: answer, body, log }] of answers.entries()) {
        sms().next.push({ status: answer, body });
        service.pass(MINUTE * 2 ** Math.max(0, at - 1));
        await service.logged(log);
        expect(sms().received[at + 1]).toMatchObject({ method: 'GET', path: '/report/A1' });
      }
      expect(await message(sent.messageId)).toMatchObject({
        ...{ state: 'sent', receipt: 'delivered', receiptAt: service.now },
      });
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

  describe('with a note for a class', () => {
    beforeEach(() => store.importFolder(SAMPLE_SCHOOL));

    it('sends one push message to each device of the class', async () => {
      const service = start();
      const request = await service.sendMarks();
      await service.line({ channel: 'mark', state: 'open' });
      const devices = await devicesOf(request);
      expect(devices).toBeGreaterThan(10);
      await service.lines(devices, { channel: 'push', state: 'sent' });
      const tokens = push().received.map(
        ({ body }) => (JSON.parse(body) as { message: { token: string } }).message.token,
      );
      expect(new Set(tokens).size).toBe(devices);
      expect(push().received).toHaveLength(devices);
      expect(service.log).not.toMatch(/sample-token|Matematik/);
    });

    it('sends it once, however often it is requested within the window', async () => {
      const service = start();
      const request = await service.sendMarks();
      await service.line({ channel: 'mark', state: 'open' });
      const devices = await devicesOf(request);
      await service.lines(devices, { channel: 'push', state: 'sent' });
      await service.sendMarks();
      await service.line({ channel: 'mark', state: 'suppressed' });
      expect((await store.deliveries.list({ channel: 'push' }, 1000)).length).toBe(devices);
      service.pass(11 * MINUTE);
      await service.sendMarks();
      await service.lines(2 * devices, { channel: 'push', state: 'sent' });
      expect(push().received).toHaveLength(2 * devices);
    });

    it('ends a request according to its push messages, with counts and reasons', async () => {
      const service = start();
      const refused = { status: 403, body: '{"error":{"details":[{"errorCode":"SENDER_ID_MISMATCH"}]}}' };
      push().usual = refused;
      const request = await service.sendMarks();
      const pushes = await service.ended(request);
      const reason = 'sender_mismatch';
      expect(pushes).toMatchObject({
        ...{ level: 40, state: 'failed', sent: 0, expired: 0, suppressed: 0 },
        reasons: [{ state: 'failed', reason, messages: pushes.failed }],
      });
      expect(pushes.failed).toBe(pushes.pushes);
      expect(pushes.withoutDevice).toBeGreaterThan(0);
      expect(await message(request)).toMatchObject({
        ...{ state: 'failed', withoutDevice: pushes.withoutDevice },
        reason: {
          ...{ code: 'pushes_not_sent', notSent: pushes.pushes, pushes: pushes.pushes },
          ...{ first: { code: reason }, others: 0 },
        },
      });
      const [first] = await store.deliveries.list({ request }, 1);
      expect(await store.deliveries.listAttempts(first?.id ?? '')).toMatchObject([
        {
          number: 1,
          at: START,
          provider: 'fcm',
          outcome: 'foreign-token',
          status: 403,
          reason: { code: reason },
        },
      ]);

      // The cause is mended: those that did not go are sent, and nothing else.
      push().usual = ({ body }) => (body.includes('"sample-token-01"') ? refused : { status: 200 });
      push().received.splice(0);
      expect(await store.deliveries.retry({ ids: [request] }, service.now)).toBe(pushes.pushes);
      expect(await message(request)).toMatchObject({ state: 'open', reason: null });
      service.pass(0);
      await service.requests(2, request);
      expect(push().received).toHaveLength(pushes.pushes);
      expect(await message(request)).toMatchObject({
        state: 'partly',
        reason: { code: 'pushes_not_sent', notSent: 1, pushes: pushes.pushes, first: { code: reason } },
      });
      expect(service.messages.filter(({ channel }) => channel === 'mark')).toHaveLength(1);
    });

    it('ends a request for a class without devices at once, and resolves it again on a retry', async () => {
      const service = start();
      const raw = openEngine({ url: database.url });
      const put = (statement: string) =>
        raw.session(({ kysely }) => kysely.executeQuery(CompiledQuery.raw(statement)));
      await put('update devices set valid = 0');
      const request = await service.sendMarks();
      expect(await service.ended(request)).toMatchObject({
        level: 40,
        state: 'failed',
        pushes: 0,
        reasons: [],
      });
      const reason = { code: 'no_devices' };
      expect(await message(request)).toMatchObject({ state: 'failed', reason });
      await put('update devices set valid = 1');
      await raw.close();
      expect(await store.deliveries.retry({ ids: [request] }, service.now)).toBe(1);
      service.pass(0);
      const [, again] = await service.requests(2, request);
      expect(again).toMatchObject({ level: 30, state: 'sent', sent: push().received.length });
      expect(push().received.length).toBeGreaterThan(10);
    });

    it('ends a request whose last push messages the operator cancelled', async () => {
      const service = start({ QUIET_HOURS: '08:00-12:00' }); // It is ten.
      const request = await service.sendMarks();
      await service.line({ channel: 'mark', state: 'open' });
      const waiting = (await store.deliveries.list({ request }, 1000)).length;
      expect(await store.deliveries.cancel({ ids: [request] }, service.now)).toBe(waiting);
      service.pass(MINUTE); // Then the worker looks for those that nobody has noticed.
      expect(await service.ended(request)).toMatchObject({ state: 'suppressed', suppressed: waiting });
      expect(await message(request)).toMatchObject({ state: 'suppressed' });
    });

    it('disables a dead token at once', async () => {
      const service = start();
      const dead = { status: 404, body: '{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}' };
      push().usual = ({ body }) => (body.includes('"sample-token-01"') ? dead : { status: 200 });
      await service.sendMarks();
      await service.line({ channel: 'push', outcome: 'dead-token', state: 'failed' });
      expect(await store.devices.tokenOf('DEV-1')).toBe('');
    });

    it.each([
      ['token', `update devices set valid = 0`, 'device_gone'],
      ['note', `delete from notes`, 'note_removed'],
    ])('sends nothing to the provider if the %s is gone by then', async (_what, statement, reason) => {
      const service = start({ QUIET_HOURS: '08:00-12:00' }); // It is ten.
      await service.sendMarks();
      await service.line({ channel: 'mark', state: 'open' });
      const raw = openEngine({ url: database.url });
      await raw.session(({ kysely }) => kysely.executeQuery(CompiledQuery.raw(statement)));
      await raw.close();
      service.pass(2 * HOUR);
      await service.line({ channel: 'push', state: 'failed', reason });
      expect(push().received).toEqual([]);
    });

    it('resends a push message that may have been sent: the copy replaces the first one', async () => {
      const service = start();
      push().next.push('resets after reading');
      await triedOnce(service);
      const { messageId } = await service.line({ channel: 'push', outcome: 'unknown', state: 'queued' });
      service.pass(MINUTE);
      await service.line({ messageId, attempt: 2, state: 'sent' });
      const copies = push().received.filter(({ body }) => body.includes(messageId));
      expect(copies).toHaveLength(2);
      for (const { body } of copies) {
        expect(JSON.parse(body)).toMatchObject({
          message: {
            android: { notification: { tag: messageId } },
            apns: { headers: { 'apns-collapse-id': messageId } },
            webpush: { notification: { tag: messageId } },
          },
        });
      }
    });

    it('retries each push message until it expires', async () => {
      const service = start();
      push().usual = ({ body }) => ({ status: body.includes('"sample-token-01"') ? 503 : 200 });
      await triedOnce(service);
      for (let attempt = 1; attempt < 12; attempt += 1) {
        const { waitMs = 0 } = await service.line({ channel: 'push', state: 'queued', attempt });
        expect(waitMs).toBe(Math.min(1000 * 2 ** (attempt - 1), 600_000) / 2);
        service.pass(10 * MINUTE);
      }
      service.pass(24 * HOUR);
      await service.line({ channel: 'push', state: 'expired' });
      expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
    });

    it.each([
      ['school', ['1A', 'N1', 'http://elsewhere.example']],
      ['class', ['1X', 'N1', 'http://school.example']],
      ['note', ['1A', 'N9', 'http://school.example']],
    ] as const)(
      'waits for a %s that is not known, and ends as a dead letter that names it',
      async (what, names) => {
        const service = start();
        const id = await service.sendMarks(...names);
        await service.line({ state: 'queued', reason: `${what}_unknown` });
        service.pass(25 * HOUR);
        await service.line({ state: 'failed', reason: `${what}_unknown` });
        expect(await message(id)).toMatchObject({ state: 'failed', reason: { code: `${what}_unknown` } });
      },
    );

    it.each([
      ['here', (folder: string): Promise<unknown> => store.importFolder(folder)],
      ['by another process', (folder: string): Promise<unknown> => importByCommand(folder, database)],
    ])('sends it as soon as the data is loaded %s', async (_where, load) => {
      const service = make();
      // The import goes by the true time, which must not be later than ours.
      service.now = Date.now() + HOUR;
      service.delivery.start();
      await service.sendMarks('1A', 'N9');
      await service.line({ channel: 'mark', state: 'queued' });
      const csv = join(database.folder, 'csv');
      mkdirSync(csv);
      const notes = 'school_base_url,id,note_type,title,text\nhttp://school.example,N9,,New,Note\n';
      writeFileSync(join(csv, 'notes.csv'), notes);
      await load(csv);
      // It was to wait for a day, and our clock stands still: the import has ended that.
      expect(await service.line({ channel: 'mark', state: 'open' })).toMatchObject({ attempt: 2 });
    });

    it('waits during the school’s quiet hours, while codes do not', async () => {
      const file = join(database.folder, 'delivery.json');
      const schools = { 'HTTP://school.example/': { timeZone: 'Asia/Tokyo', quietHours: '18:00-07:00' } };
      writeFileSync(file, JSON.stringify({ schools }));
      const service = start({ DELIVERY_FILE: file }); // 10:00 UTC is 19:00 in Tokyo.
      await service.sendMarks();
      await service.line({ channel: 'mark', state: 'open' });
      await service.sendCode('1');
      await service.line({ channel: 'sms', state: 'sent' });
      expect(push().received).toEqual([]);
      service.pass(12 * HOUR - 1);
      await service.sendCode('2');
      await service.lines(2, { channel: 'sms', state: 'sent' });
      expect(push().received).toEqual([]);
      service.pass(1);
      await service.line({ channel: 'push', state: 'sent' });
    });
  });

  describe('when the clock is set', () => {
    it('forward by an hour, expires the codes that are then too old, and sends the push messages', async () => {
      await store.importFolder(SAMPLE_SCHOOL);
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
    const service = start({ PUSH_CONCURRENCY: '1' });
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
