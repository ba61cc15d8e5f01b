import { englishText } from '../../../src/support/phrase';
import { codeAcceptance, RefusedCodes } from '../../../src/delivery/policy/accept-code';
import type { CodeGuard } from '../../../src/delivery/policy/code-guard';
import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import { refusalSentence, type Store } from '../../../src/store';
import type { Engine } from '../../../src/store/engine/engine';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { Calendar } from '../../../src/support/calendar';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-02T10:00:00Z');
const PHONE = '+905551112233';
const LIMITS = { repeatMs: 0, coolDownMs: 0, perTenMinutes: 2, perDay: 0, perDayOverall: 0 };

/** A guard that blocks every destination. */
const REFUSING: CodeGuard = {
  watch: () =>
    Promise.resolve({
      ...{ area: 'h:TR:555111', locks: [] },
      check: () => Promise.resolve({ refusedUntil: START + HOUR, report: () => undefined }),
    }),
};

describe.each(ENGINES)('the refused codes on %s', (engineName) => {
  const database = useDatabase(engineName);
  let store: Store;
  let engine: Engine;
  let refused: RefusedCodes;
  let timers: (() => void)[];
  let now: number;
  const failed = jest.fn();
  beforeEach(async () => {
    store = await database.open();
    engine = database.engine();
    now = START;
    timers = [];
    const after = (_ms: number, action: () => void) => {
      timers.push(action);
      return () => undefined;
    };
    failed.mockClear();
    refused = new RefusedCodes(store, { after }, failed);
  });
  afterEach(() => {
    expect(failed).not.toHaveBeenCalled();
  });

  function policy(more: Partial<Parameters<typeof codeAcceptance>[1]> = {}) {
    const { note: onRefused } = refused;
    const accept = codeAcceptance(
      store,
      { limits: LIMITS, countries: undefined, onRefused, ...more },
      () => undefined,
    );
    let code = 0;
    return (phone = PHONE) =>
      accept({ code: String((code += 1)), phone, createdAt: now, expiresAt: now + 5 });
  }
  const written = async (phone = PHONE) => {
    await refused.write();
    return store.refusals.ofPhone(phone);
  };
  const rows = async () =>
    (await engine.direct.kysely.selectFrom('refused_codes').selectAll().execute()).length;

  it('are grouped by reason and hour, with their count and their first and last time', async () => {
    const send = policy();
    await send();
    await send();
    expect(await written()).toEqual([]);
    for (const minute of [1, 2, 3]) {
      now = START + minute * MINUTE;
      await send();
    }
    const first = { reason: 'ten_minutes', bound: 2, firstAt: START + MINUTE };
    expect(await written()).toEqual([{ ...first, times: 3, lastAt: START + 3 * MINUTE }]);
    await send();
    expect(await written()).toEqual([{ ...first, times: 4, lastAt: START + 3 * MINUTE }]);
    expect(englishText(refusalSentence({ reason: 'ten_minutes', bound: 2 }))).toBe(
      'more than 2 codes in 10 minutes',
    );

    now = START + HOUR;
    await send();
    await send();
    await send();
    expect((await written()).map(({ times }) => times)).toEqual([1, 4]);
  });

  it.each([
    ['country', { countries: ['DE'] }, 'no codes are sent to this country (ALLOWED_COUNTRIES)'],
    ['premium', {}, 'a premium-rate or satellite number'],
    [
      'overall',
      { limits: { ...LIMITS, perDayOverall: 1 } },
      'the limit of 1 codes a day for all numbers together',
    ],
    ['cool_down', { limits: { ...LIMITS, coolDownMs: 30_000 } }, 'less than 30 seconds after the last code'],
    ['day', { limits: { ...LIMITS, perTenMinutes: 0, perDay: 1 } }, 'more than 1 code in 24 hours'],
    ['unusual', { guard: REFUSING }, 'more codes than usual to this destination (possible SMS pumping)'],
  ] as const)('name the reason %s', async (reason, more, text) => {
    const phone = reason === 'premium' ? '+449098790000' : PHONE;
    const send = policy(more);
    await send(phone);
    await send(phone);
    const [refusal] = await written(phone);
    expect(refusal?.reason).toBe(reason);
    expect(refusal && englishText(refusalSentence(refusal))).toBe(text);
  });

  it('are stored without the number, and found by any spelling of it', async () => {
    const send = policy();
    for (let times = 0; times < 3; times += 1) await send('05551112233');
    for (const spelling of ['05551112233', PHONE, '5551112233']) {
      expect([spelling, (await written(spelling)).length]).toEqual([spelling, 1]);
    }
    expect(await written('05551112234')).toEqual([]);
    for (let times = 0; times < 3; times += 1) await send('+15551112233');
    expect((await written(PHONE)).length).toBe(1);
    expect((await written('+15551112233')).length).toBe(2);
    const all = await engine.direct.kysely.selectFrom('refused_codes').selectAll().execute();
    expect(JSON.stringify(all)).not.toMatch(/5551112233|551112233/);
  });

  it('add up over two processes', async () => {
    const rule = { reason: 'day', bound: 20 } as const;
    const other = new RefusedCodes(store, { after: () => () => undefined }, failed);
    for (const one of [refused, other]) one.note(PHONE, rule, START);
    await Promise.all([refused.write(), other.write()]);
    expect(await written()).toMatchObject([{ times: 2 }]);
  });

  it('fill a bounded number of rows in a flood of invented numbers, apart from those after accepted codes', async () => {
    const number = (at: number) => `+90555${String(1_000_000 + at)}`;
    for (let at = 0; at < 3000; at += 1) refused.note(number(at), { reason: 'country', bound: 0 }, START);
    refused.note(PHONE, { reason: 'day', bound: 20 }, START);
    for (let times = 0; times < 1000; times += 1)
      refused.note(number(0), { reason: 'country', bound: 0 }, START);
    expect(timers).toHaveLength(1);
    const write = jest.spyOn(refused, 'write');
    timers[0]?.();
    await write.mock.results[0]?.value;
    expect(await rows()).toBe(501);
    expect(await written(number(0))).toMatchObject([{ times: 1001 }]);
    expect(await rows()).toBe(501);
    expect(await written()).toHaveLength(1);
  });

  it('are kept in memory while the store fails, and written later', async () => {
    refused.note(PHONE, { reason: 'day', bound: 20 }, START);
    const failure = new Error('x');
    jest.spyOn(store, 'write').mockRejectedValueOnce(failure);
    await refused.write();
    expect(failed.mock.calls).toEqual([[failure]]);
    failed.mockClear();
    expect(await rows()).toBe(0);
    refused.note(PHONE, { reason: 'day', bound: 20 }, START + 1);
    expect(timers).toHaveLength(2);
    expect(await written()).toMatchObject([{ times: 2, firstAt: START, lastAt: START + 1 }]);
  });

  it('are removed 24 hours after the last of them', async () => {
    refused.note(PHONE, { reason: 'day', bound: 20 }, START);
    await refused.write();
    await eraseExpired(store, MINUTE, START + DAY);
    expect(await written()).toHaveLength(1);
    await eraseExpired(store, MINUTE, START + DAY + 1);
    expect(await written()).toEqual([]);
  });

  it('are forgotten for one person and no other', async () => {
    for (const phone of [PHONE, '+905551112234']) {
      refused.note(phone, { reason: 'day', bound: 20 }, START);
      refused.note(phone, { reason: 'day', bound: 20 }, START + HOUR);
    }
    await refused.write();
    const options = { now: START, calendar: new Calendar('UTC') };
    expect(await store.forget({ phone: PHONE }, { ...options, dryRun: true })).toMatchObject({ refused: 2 });
    expect(await rows()).toBe(4);
    expect(await store.forget({ phone: PHONE }, { ...options, dryRun: false })).toMatchObject({ refused: 2 });
    expect(await written()).toEqual([]);
    expect(await written('+905551112234')).toHaveLength(2);
  });
});
