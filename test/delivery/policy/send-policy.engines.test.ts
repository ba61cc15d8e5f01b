import type { CountryCode } from 'libphonenumber-js/max';

import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import { codeAcceptance } from '../../../src/delivery/policy/accept-code';
import type { CodeGuard } from '../../../src/delivery/policy/code-guard';
import type { CodeLimits } from '../../../src/delivery/policy/code-limits';
import { type Store, StoreError } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-03-02T10:00:00Z');
const PHONE = '+905551112233';
const USUAL: CodeLimits = { repeatMs: MINUTE, coolDownMs: 0, perTenMinutes: 5, perDay: 20, perDayOverall: 0 };

describe.each(ENGINES)('the send policy on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let now: number;
  let woken: number;

  beforeEach(async () => {
    store = await database.open();
    now = START;
    woken = 0;
  });

  function policy(limits: Partial<CodeLimits> = {}, countries?: readonly CountryCode[], on = store) {
    const accept = codeAcceptance(on, { limits: { ...USUAL, ...limits }, countries }, () => (woken += 1));
    return (code: string, phone = PHONE) =>
      accept({ code, phone, createdAt: now, expiresAt: now + 5 * MINUTE });
  }
  const stored = async () => (await listMessages(store, 1000)).length;

  it('stores a code with its phone and no school', async () => {
    await policy()('1');
    expect(await listMessages(store, 1)).toMatchObject([
      { channel: 'sms', recipient: PHONE, school: '', payload: { code: '1' }, createdAt: START },
    ]);
  });

  it('counts a code for its caller, and distinguishes phones whose numbers end alike', async () => {
    const limits = { ...USUAL, perDayOverall: 9 };
    const accept = codeAcceptance(store, { limits, countries: undefined }, () => undefined);
    const code = { code: '1', createdAt: START, expiresAt: START + MINUTE };
    expect(await accept({ ...code, phone: PHONE, caller: 'a' })).toMatchObject({ kind: 'stored' });
    expect(await accept({ ...code, phone: '+915551112233' })).toMatchObject({ kind: 'stored' });
    const counted = await store.sentCodes.ofDay(Math.floor(START / DAY));
    expect(counted.toSorted((a, b) => a.caller.localeCompare(b.caller))).toEqual([
      { caller: '', codes: 1 },
      { caller: 'a', codes: 1 },
    ]);
  });

  it('passes on a failure of the store', async () => {
    const failure = new StoreError('unavailable', 'x');
    jest.spyOn(store, 'writeShort').mockRejectedValueOnce(failure);
    await expect(policy()('1')).rejects.toBe(failure);
  });

  it('sends one SMS for the same code to the same phone within a minute', async () => {
    const send = policy();
    const first = await send('1');
    expect(await send('1')).toEqual({ ...first, kind: 'repeated' });
    now += MINUTE - 1;
    expect(await send('1')).toMatchObject({ kind: 'repeated' });
    expect([await stored(), woken]).toEqual([1, 1]);
    expect(await send('1', '+905551112234')).toMatchObject({ kind: 'stored' });
    now += 1;
    expect(await send('1')).toMatchObject({ kind: 'stored' });
    expect(await stored()).toBe(3);
  });

  it('resends a code at once if its first SMS failed', async () => {
    const send = policy({ coolDownMs: MINUTE });
    await send('1');
    const [claimed] = await store.outbox.claim({
      channel: 'sms',
      owner: 'w',
      limit: 1,
      now,
      leaseUntil: now + 1,
    });
    await store.outbox.settle({
      ...{ id: claimed?.id ?? '', owner: 'w', leaseUntil: now + 1, state: 'failed', nextAttemptAt: now },
      ...{ attempted: true, erase: false, providerId: null, reason: { code: 'service_failed' }, now },
    });
    expect(await send('1')).toMatchObject({ kind: 'stored' });
  });

  it('sends five SMS to a phone in ten minutes, and reports when the next is allowed', async () => {
    const send = policy();
    for (let code = 1; code <= 5; code += 1) {
      expect(await send(String(code))).toMatchObject({ kind: 'stored' });
      now += MINUTE;
    }
    expect(await send('6')).toEqual({ kind: 'too-many', retryAfterSeconds: 300 });
    expect(await send('5')).toEqual({ kind: 'too-many', retryAfterSeconds: 300 }); // An SMS like any other.
    expect(await send('6', '+905551112234')).toMatchObject({ kind: 'stored' });
    now += 5 * MINUTE - 1;
    expect(await send('6')).toEqual({ kind: 'too-many', retryAfterSeconds: 1 });
    now += 1;
    expect(await send('6')).toMatchObject({ kind: 'stored' });
  });

  it('sends twenty SMS to a phone in 24 hours', async () => {
    const send = policy();
    for (let code = 0; code < 20; code += 1) {
      expect(await send(String(code))).toMatchObject({ kind: 'stored' });
      now += 15 * MINUTE;
      await eraseExpired(store, 10 * MINUTE, now); // What is erased still counts.
    }
    expect(await send('20')).toEqual({ kind: 'too-many', retryAfterSeconds: 19 * 60 * 60 });
    now = START + DAY;
    expect(await send('20')).toMatchObject({ kind: 'stored' });
  });

  it('holds when the clock is set back by an hour', async () => {
    const send = policy();
    const last = '5';
    for (const code of ['1', '2', '3', '4', last]) await send(code);
    now -= 60 * MINUTE;
    expect(await send(last)).toMatchObject({ kind: 'repeated' });
    expect(await send('6')).toMatchObject({ kind: 'too-many' });
  });

  it('lifts the ten-minute limit when the clock is set forward by an hour, but not the daily one', async () => {
    const send = policy({ perDay: 6 });
    for (const code of ['1', '2', '3', '4', '5']) await send(code);
    now += 60 * MINUTE;
    expect(await send('6')).toMatchObject({ kind: 'stored' });
    expect(await send('7')).toEqual({ kind: 'too-many', retryAfterSeconds: 23 * 60 * 60 });
  });

  it('spaces the SMS to a phone by the cool-down', async () => {
    const send = policy({ coolDownMs: 30 * SECOND });
    await send('1');
    now += 10 * SECOND;
    expect(await send('2')).toEqual({ kind: 'too-many', retryAfterSeconds: 20 });
    expect(await send('1')).toMatchObject({ kind: 'repeated' });
    expect(await policy({ coolDownMs: 30 * SECOND, repeatMs: 0 })('1')).toMatchObject({ kind: 'too-many' });
    now += 20 * SECOND;
    expect(await send('2')).toMatchObject({ kind: 'stored' });
  });

  it('enforces the daily limit for all phones together, without counting refused codes', async () => {
    const send = policy({ perDayOverall: 2 });
    await send('1', '+905551112201');
    await send('1', '+905551112202');
    const untilMidnight = 14 * 60 * 60;
    for (const phone of ['+905551112203', '+905551112204']) {
      expect(await send('1', phone)).toEqual({ kind: 'too-many', retryAfterSeconds: untilMidnight });
    }
    expect(await stored()).toBe(2);
    now += untilMidnight * SECOND;
    expect(await send('1', '+905551112203')).toMatchObject({ kind: 'stored' });
  });

  it('has no limit if all are 0', async () => {
    const send = policy({ repeatMs: 0, perTenMinutes: 0, perDay: 0 });
    for (let at = 0; at < 30; at += 1)
      expect(await send(at < 3 ? '1' : String(at))).toMatchObject({ kind: 'stored' });
  });

  it.each([
    ['+905551112233', ['TR'], 'stored'],
    ['+4915123456789', ['TR'], 'country-not-served'],
    ['+4915123456789', ['TR', 'DE'], 'stored'],
    ['+18765551234', ['US'], 'country-not-served'],
    // Of a calling code that countries share, in a range that is not in the tables.
    ['+12005551234', ['TR', 'US'], 'stored'],
    ['+12005551234', ['TR', 'DE'], 'country-not-served'],
    ['5551112233', ['TR'], 'country-not-served'],
    ['5551112233', undefined, 'stored'],
  ] as const)('answers the phone %s when %j is served: %s', async (phone, countries, kind) => {
    expect(await policy({}, countries)('1', phone)).toMatchObject({ kind });
  });

  it('holds for many requests at once in several processes', async () => {
    const other = await database.open();
    const here = policy();
    const there = policy({}, undefined, other);
    const sender = (at: number): typeof here => (at % 2 === 0 ? here : there);
    const same = await Promise.all(Array.from({ length: 20 }, (_, at) => sender(at)('1')));
    expect(same.filter((decision) => decision.kind === 'stored')).toHaveLength(1);
    const different = await Promise.all(
      Array.from({ length: 20 }, (_, at) => sender(at)(String(at), '+905551112299')),
    );
    expect(different.filter((decision) => decision.kind === 'stored')).toHaveLength(5);
    expect(await stored()).toBe(6);
  });

  it.each([
    ['usual', undefined, { kind: 'stored' }, 'h:TR:555111'],
    ['unusual, which is only reported', { refusedUntil: undefined }, { kind: 'stored', unusual: true }, null],
    [
      'unusual, and refused',
      { refusedUntil: START + MINUTE + 1 },
      { kind: 'too-many', retryAfterSeconds: 61, unusual: true },
      undefined,
    ],
  ])('asks the guard about the destination of a code: %s', async (_what, unusual, decision, area) => {
    const watch = jest.fn();
    const report = jest.fn();
    const onRefused = jest.fn();
    const guard: CodeGuard = {
      watch: (...asked) => {
        watch(...asked);
        const check = () => Promise.resolve(unusual && { ...unusual, report });
        return Promise.resolve({ area: 'h:TR:555111', locks: ['area'], check });
      },
    };
    const accept = codeAcceptance(
      store,
      { limits: USUAL, countries: undefined, guard, onRefused },
      () => (woken += 1),
    );
    const code = { code: '1', phone: PHONE, createdAt: now, expiresAt: now + MINUTE };
    const { messageId, ...decided } = { ...(await accept(code)) } as { messageId?: string };
    expect(decided).toEqual(decision);
    expect(watch.mock.calls).toEqual([[expect.objectContaining({ country: 'TR' }), '', now]]);
    expect(report).toHaveBeenCalledTimes(unusual === undefined ? 0 : 1);
    expect(onRefused.mock.calls).toEqual(
      area === undefined ? [[PHONE, { reason: 'unusual', bound: 0 }, now]] : [],
    );
    expect([woken, typeof messageId]).toEqual(area === undefined ? [0, 'undefined'] : [1, 'string']);
    const rows = await database.engine().direct.kysely.selectFrom('messages').select('area').execute();
    expect(rows).toEqual(area === undefined ? [] : [{ area }]);
  });
});
