import { sql } from 'kysely';

import { maskedForms, maskPhone } from '../../../src/support/masks';
import type { DeliveryFilter, MessageChannel, NewMessage, Reason, Store } from '../../../src/store';
import { MOST_LOOKED_AT } from '../../../src/store/outbox/delivery-search';
import { writeCsv } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const SCHOOL = 'http://school.example';
const OTHER = 'http://other.example';
const HOUR = 3_600_000;

/** Goes on from one test to the next: an id is never older than the one before. */
let now = Date.parse('2026-03-02T10:00:00Z');

describe.each(ENGINES)('what is found of messages on %s', (engineName) => {
  const database = useDatabase(engineName);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  function add(channel: MessageChannel, more: Partial<NewMessage> = {}): Promise<string> {
    now += 1000;
    return store.messages.enqueue({
      ...{ channel, recipient: 'D1', school: channel === 'sms' ? '' : SCHOOL, payload: {}, dedupeKey: null },
      ...{ createdAt: now, expiresAt: now + HOUR, ...more },
    });
  }
  async function end(
    channel: MessageChannel,
    state: 'sent' | 'failed',
    reason: Reason | null,
  ): Promise<void> {
    const claim = { channel, owner: 'w', limit: 999, now: now + 1, leaseUntil: now + HOUR };
    for (const { id, leaseUntil } of await store.outbox.claim(claim)) {
      await store.outbox.settle({
        ...{ id, owner: 'w', leaseUntil, state, nextAttemptAt: now, attempted: true, erase: false },
        ...{ providerId: null, reason, now },
      });
    }
  }
  const found = async (filter: DeliveryFilter): Promise<readonly string[]> =>
    (await store.deliveries.list(filter, 99)).map(({ id }) => id);
  const asked = (number: string): DeliveryFilter => ({ phone: { number, masked: maskedForms(number) } });

  it('finds codes by the number in any spelling, and by what is left of it', async () => {
    const first = await add('sms', { recipient: '+905551112233' });
    const bare = await add('sms', { recipient: '05551112233' });
    const other = await add('sms', { recipient: '+905551112234' });
    const alike = await add('sms', { recipient: '+904441112233' });
    expect(await found(asked('+905551112233'))).toEqual([bare, first]);
    expect(await found(asked('5551112233'))).toEqual([bare, first]);
    expect(await found(asked('+905551112234'))).toEqual([other]);
    expect(await found({ ...asked('5551112233'), channel: 'push' })).toEqual([]);

    await end('sms', 'sent', null);
    await store.write(({ retention }) => retention.maskPhones(now, 99, maskPhone));
    expect(await found(asked('+905551112233'))).toEqual([alike, bare, first]);
    expect(await found(asked('05551112233'))).toEqual([alike, bare, first]);
    expect(await found(asked('+905551112234'))).toEqual([other]);
  });

  it('finds requests by class and note, and with the channel their push messages', async () => {
    const one = await add('mark', { recipient: '9A', note: 'N1' });
    const push = await add('push', { requestId: one });
    const two = await add('mark', { recipient: '9A', note: 'N2' });
    const three = await add('mark', { recipient: '9A', note: 'N1', school: OTHER });
    const there = await add('push', { requestId: three, school: OTHER });
    await add('push', { recipient: '9A' });
    expect(await found({ classId: '9A' })).toEqual([three, two, one]);
    expect(await found({ note: 'N1' })).toEqual([three, one]);
    expect(await found({ note: 'N1', classId: '9A', school: SCHOOL })).toEqual([one]);
    expect(await found({ note: 'N1', classId: '9A', channel: 'push' })).toEqual([there, push]);
    expect(await found({ note: 'N1', school: OTHER, channel: 'push' })).toEqual([there]);
    expect(await found({ note: 'N2', classId: '9A', channel: 'push' })).toEqual([]);
    expect(await found({ note: 'N1', classId: '9B', channel: 'push' })).toEqual([]);
    expect(await found({ classId: '9A', channel: 'sms' })).toEqual([]);
    expect(await found({ request: one })).toEqual([push]);
    expect(await found({ request: one, note: 'N2' })).toEqual([]);
    const [record] = await store.deliveries.list({ ids: [two] }, 1);
    expect(record?.note).toBe('N2');
  });

  it('finds what went to the devices of a student of one school or of all', async () => {
    const students = [SCHOOL, OTHER].map((school, at) => [school, `D${String(at + 1)}`] as const);
    await store.importFolder(
      writeCsv(`${database.folder}/csv`, {
        'schools.csv': ['base_url,name', ...students.map(([school]) => `${school},S`)],
        'students.csv': [
          'school_base_url,id_student,fullName,ShowActive,id_class',
          ...students.map(([school]) => `${school},S1,Name,Y,`),
        ],
        'devices.csv': [
          'id,school_base_url,id_student,token,platform,last_seen',
          ...students.map(([school, device]) => `${device},${school},S1,token,android,`),
        ],
      }),
    );
    const here = await add('mark', { recipient: '9A', note: 'N1' });
    const push = await add('push', { recipient: 'D1', requestId: here });
    await add('push', { recipient: 'D9', requestId: here });
    const there = await add('mark', { recipient: '9A', note: 'N2', school: OTHER });
    const elsewhere = await add('push', { recipient: 'D2', requestId: there, school: OTHER });
    expect(await found({ student: 'S1' })).toEqual([elsewhere, push]);
    expect(await found({ student: 'S1', school: SCHOOL })).toEqual([push]);
    expect(await found({ student: 'S1', note: 'N2' })).toEqual([elsewhere]);
    expect(await found({ student: 'S2' })).toEqual([]);
    expect(await found({ student: 'S1', channel: 'mark' })).toEqual([]);
  });

  it('finds a reason by its code, whatever it carries', async () => {
    const busy = await add('push');
    await end('push', 'failed', { code: 'provider_failing', status: 503 });
    const refused = await add('sms', { recipient: '+905551112233' });
    await end('sms', 'failed', { code: 'provider_rejected', status: 400, detail: '7' });
    const alike = await add('push');
    await end('push', 'failed', { code: 'provider_failing', status: 500 });
    await add('mark');
    expect(await found({ reason: 'provider_rejected' })).toEqual([refused]);
    expect(await found({ reason: 'provider_failing' })).toEqual([alike, busy]);
    expect(await found({ reason: 'provider_rejected', channel: 'push' })).toEqual([]);
    expect(await found({ reason: 'provider_failing', channel: 'push', state: 'failed' })).toEqual([
      alike,
      busy,
    ]);
    expect(await found({ reason: 'provider_busy' })).toEqual([]);
    expect(await store.deliveries.retry({ reason: 'provider_failing' }, now)).toBe(2);
    expect(await found({ state: 'queued', channel: 'push' })).toEqual([alike, busy]);
  });

  it('goes by the age in the id', async () => {
    const old = await add('push');
    const moment = now + 1;
    const young = await add('push');
    expect(await found({ createdBefore: moment })).toEqual([old]);
    expect(await found({ createdAfter: moment })).toEqual([young]);
    expect(await found({ createdAfter: moment - 1, createdBefore: moment })).toEqual([]);
  });

  it('gives each message once, page by page, while others arrive', async () => {
    for (let at = 0; at < 7; at++) await add(at % 2 === 0 ? 'push' : 'sms');
    for (const filter of [{}, { state: 'queued' }, { channel: 'push' }] as const) {
      const expected = await found(filter);
      const seen: string[] = [];
      let before: string | undefined;
      do {
        const page = await store.deliveries.page(filter, 2, before);
        seen.push(...page.messages.map(({ id }) => id));
        before = page.next;
        await add('push');
      } while (before !== undefined);
      expect(expected.length).toBeGreaterThan(3);
      expect(seen).toEqual(expected);
    }
  });

  it('looks at so many for a page where no index tells the few, and goes on behind them', async () => {
    const engine = database.engine();
    const half = MOST_LOOKED_AT + 1;
    // The older half failed at one school, the newer half was sent at the other, and three at that one.
    await engine.session(async ({ kysely }) => {
      await sql`insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at,
          created_at, updated_at)
        with recursive n (n) as (select 100000 union all select n + 1 from n where n < ${99_999 + 2 * half})
        select 'm' || n, 'push', case when n < ${100_000 + half} then 'failed' else 'sent' end, 'D1',
          case when n < ${100_000 + half} then ${SCHOOL} else ${OTHER} end, 1, 1, 1, 1, 1 from n
        union all select id, 'push', 'sent', 'D1', ${SCHOOL}, 1, 1, 1, 1, 1
          from (select 'a1' as id union all select 'a2' union all select 'z1') as more`.execute(kysely);
    });
    const sentThere = { state: 'sent', school: SCHOOL } as const;
    const first = await store.deliveries.page(sentThere, 5);
    expect(first.messages).toMatchObject([{ id: 'z1' }]);
    expect(first.next).toBeDefined();
    const second = await store.deliveries.page(sentThere, 5, first.next);
    expect(second).toMatchObject({ messages: [{ id: 'a2' }, { id: 'a1' }], next: undefined });
    expect((await store.deliveries.list(sentThere, 5)).map(({ id }) => id)).toEqual(['z1', 'a2', 'a1']);
    expect((await store.deliveries.list(sentThere, 2)).map(({ id }) => id)).toEqual(['z1', 'a2']);
    const ofOne = await store.deliveries.page({ state: 'failed', school: SCHOOL }, 2);
    expect(ofOne.messages.map(({ id }) => id)).toEqual([99_999, 99_998].map((at) => `m${String(at + half)}`));
    expect(await store.deliveries.page({ state: 'queued', school: SCHOOL }, 5)).toEqual({
      messages: [],
      next: undefined,
    });
  });
});
