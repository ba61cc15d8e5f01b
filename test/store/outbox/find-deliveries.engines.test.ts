import { sql } from 'kysely';

import { maskedForms, maskPhone } from '../../../src/support/masks';
import type {
  DeliveryFilter,
  DeliveryPage,
  MessageChannel,
  NewMessage,
  Reason,
  Store,
} from '../../../src/store';
import type { Connection } from '../../../src/store/engine/engine';
import { toQuestion } from '../../../src/store/outbox/delivery-filter';
import { MAX_LOOKED_AT, search } from '../../../src/store/outbox/delivery-filter';
import { writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const SCHOOL = 'http://school.example';
const OTHER = 'http://other.example';
const HOUR = 3_600_000;

/** Goes on from one test to the next: an id is never older than the one before. */
let now = Date.parse('2026-03-02T10:00:00Z');

describe.each(ENGINES)('a search for messages on %s', (engineName) => {
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

  it('finds codes by the number in any spelling, and by the masked number', async () => {
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

  it('finds requests by class and note, and their push messages if that channel is given', async () => {
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

  it('finds push messages to a student’s devices, in one school or in all', async () => {
    const students = [SCHOOL, OTHER].map((school, at) => [school, `D${String(at + 1)}`] as const);
    await store.importFolder(
      writeSchool(`${database.folder}/csv`, {
        schools: students.map(([school]) => `${school},S`),
        students: students.map(([school]) => `${school},S1,Name,Y,`),
        devices: students.map(([school, device]) => `${device},${school},S1,token,android,`),
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

  it('finds a reason by its code, whatever its details', async () => {
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

  it('filters by the age in the id', async () => {
    const old = await add('push');
    const moment = now + 1;
    const young = await add('push');
    expect(await found({ createdBefore: moment })).toEqual([old]);
    expect(await found({ createdAfter: moment })).toEqual([young]);
    expect(await found({ createdAfter: moment - 1, createdBefore: moment })).toEqual([]);
  });

  it('returns each message once, page by page, while others arrive', async () => {
    for (let at = 0; at < 7; at++) await add(at % 2 === 0 ? 'push' : 'sms');
    for (const filter of [{}, { state: 'queued' }, { channel: 'push' }] as const) {
      const expected = await found(filter);
      const seen: string[] = [];
      let before: string | undefined;
      do {
        const page = await store.deliveries.page(filter, 2, { before });
        seen.push(...page.messages.map(({ id }) => id));
        before = page.next;
        await add('push');
      } while (before !== undefined);
      expect(expected.length).toBeGreaterThan(3);
      expect(seen).toEqual(expected);
    }
  });

  it('examines a limited number of messages per page, and continues after them', async () => {
    const engine = database.engine();
    const half = MAX_LOOKED_AT + 1;
    // The older half failed, the newer half was sent, and three older and newer ones were sent by themselves.
    await engine.session(async ({ kysely }) => {
      await sql`insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at,
          created_at, updated_at)
        with recursive n (n) as (select 100000 union all select n + 1 from n where n < ${99_999 + 2 * half})
        select 'm' || n, 'push', case when n < ${100_000 + half} then 'failed' else 'sent' end, 'D1',
          ${SCHOOL}, 1, 1, 1, 1, 1 from n
        union all select id, 'sms', 'sent', '+90...33', '', 1, 1, 1, 1, 1
          from (select 'a1' as id union all select 'a2' union all select 'z1') as more`.execute(kysely);
    });
    const codes = { channel: 'sms' } as const;
    const pages: (readonly string[])[] = [];
    let next: string | undefined;
    do {
      const page = await store.deliveries.page(codes, 5, { before: next });
      pages.push(page.messages.map(({ id }) => id));
      next = page.next;
    } while (next !== undefined);
    expect(pages).toEqual([['z1'], [], ['a2', 'a1']]);
    const back: (readonly string[])[] = [];
    let after: string | undefined = 'a1';
    while (after !== undefined) {
      const page: DeliveryPage = await store.deliveries.page(codes, 5, { after });
      back.push(page.messages.map(({ id }) => id));
      after = page.next;
    }
    expect(back).toEqual([['a2'], [], ['z1']]);
    expect((await store.deliveries.list(codes, 5)).map(({ id }) => id)).toEqual(['z1', 'a2', 'a1']);
    expect((await store.deliveries.list(codes, 2)).map(({ id }) => id)).toEqual(['z1', 'a2']);

    // By state the way is shorter, and a page that is full ends with it.
    const ofState = await store.deliveries.page({ state: 'sent', channel: 'sms' }, 5);
    expect(ofState.messages).toMatchObject([{ id: 'z1' }]);
    expect(
      (await store.deliveries.page({ state: 'sent', channel: 'sms' }, 5, { before: ofState.next })).next,
    ).toBeUndefined();
    const failed = await store.deliveries.page({ school: SCHOOL, state: 'failed' }, 2, {
      before: `m${String(100_000 + half)}`,
    });
    expect(failed.messages.map(({ id }) => id)).toEqual(
      [99_999, 99_998].map((at) => `m${String(at + half)}`),
    );
    expect(failed.next).toBe(failed.messages.at(-1)?.id);
    expect(await store.deliveries.page({ state: 'queued', channel: 'push' }, 5)).toEqual({
      messages: [],
      next: undefined,
    });
  });

  it('neither misses nor repeats a message while others arrive', async () => {
    const engine = database.engine();
    await engine.session(async ({ kysely }) => {
      // The last one that the first page looks at is a code, and the next one, too.
      await sql`insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at,
          created_at, updated_at)
        with recursive n (n) as (select 100000 union all select n + 1 from n where n < ${100_000 + MAX_LOOKED_AT})
        select '0' || n, case when n < 100002 then 'sms' else 'push' end, 'sent', 'D1', '', 1, 1, 1, 1, 1
        from n`.execute(kysely);
    });
    const kysely = engine.direct.kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        await add('push');
        return result;
      },
    });
    const connection = Object.create(engine.direct, { kysely: { value: kysely } }) as Connection;
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const found = await search(
        connection,
        await toQuestion(engine.direct, { channel: 'sms' }, { before }),
        99,
        false,
      );
      seen.push(...found.rows.map(({ id }) => id));
      before = found.next;
    } while (before !== undefined);
    expect(seen).toEqual(['0100001', '0100000']);
  });
});
