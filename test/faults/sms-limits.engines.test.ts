// Every SMS counts, one phone has one limit in every spelling, and no caller can use up another's limit.

import type { CountryCode } from 'libphonenumber-js/max';

import { codeAcceptance, hasRoomFor } from '../../src/delivery/policy/accept-code';
import { isSamePhone, type Store } from '../../src/store';
import { normalisePhone } from '../../src/operations/arguments';
import { authCode, sendMarkNotes } from '../../src/operations/operations';
import { ENGINES, useDatabase } from '../harness/test-databases';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-03-02T10:00:00Z');
const LIMITS = { repeatMs: MINUTE, coolDownMs: 0, perTenMinutes: 5, perDay: 20, perDayOverall: 0 };

const SPELLINGS = [
  '+905551112233',
  '+90 (555) 111-22-33',
  '+9005551112233',
  '00905551112233',
  '905551112233',
  '05551112233',
  '0555 111 22 33',
  '5551112233',
];

describe.each(ENGINES)('the limits of a phone on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let now: number;
  beforeEach(async () => {
    store = await database.open();
    now = START;
  });

  function codes(limits: Partial<typeof LIMITS> = {}, known: readonly string[] = []) {
    const policy = { limits: { ...LIMITS, ...limits }, countries: undefined, knownCallers: () => known };
    const accept = codeAcceptance(store, policy, () => undefined);
    return async (code: string, phone: string, caller?: string) =>
      (await accept({ code, phone, caller, createdAt: now, expiresAt: now + 5 * MINUTE })).kind;
  }

  it('count each SMS, even if the same code is requested again and again', async () => {
    const send = codes();
    let sent = 0;
    for (let minute = 0; minute < 12; minute += 1) {
      if ((await send('4711', '+905551112233')) === 'stored') sent += 1;
      now += MINUTE + 1;
    }
    expect(sent).toBe(7); // Five, and one more for each that is ten minutes old.
    for (; now < START + DAY; now += MINUTE + 1) {
      if ((await send('4711', '+905551112233')) === 'stored') sent += 1;
    }
    expect(sent).toBe(20);
  });

  it.each<readonly [string, CountryCode | undefined]>([
    ['with a default country', 'TR'],
    ['without one', undefined],
  ])('apply to one phone in every spelling, %s', async (_what, country) => {
    const send = codes();
    const phones = SPELLINGS.map((text) => normalisePhone(text, country));
    let sent = 0;
    for (let code = 1000; code < 1030; code += 1) {
      now += SECOND;
      if ((await send(String(code), phones[code % phones.length] ?? '')) === 'stored') sent += 1;
    }
    expect(sent).toBe(LIMITS.perTenMinutes);
  });

  it('send one SMS for one code in two spellings', async () => {
    const send = codes();
    expect(await send('4711', '+905551112233')).toBe('stored');
    expect(await send('4711', '05551112233')).toBe('repeated');
    expect(await send('4711', '05551112234')).toBe('stored');
  });

  it('count separately for unknown callers and for each known one, so they cannot block each other', async () => {
    const send = codes();
    const phone = '+905551112233';
    for (let junk = 0; junk < 5; junk += 1) expect(await send(`junk ${String(junk)}`, phone)).toBe('stored');
    expect(await send('junk', phone)).toBe('too-many');
    for (let code = 0; code < 5; code += 1) {
      expect(await send(`a ${String(code)}`, phone, 'portal a')).toBe('stored');
      expect(await send(`b ${String(code)}`, phone, 'portal b')).toBe('stored');
    }
    expect(await send('a', phone, 'portal a')).toBe('too-many');
    expect(await send('b', phone, 'portal b')).toBe('too-many');
  });

  it('reserve each known caller its share of a day, however many codes others request', async () => {
    const send = codes({ perDayOverall: 20 }, ['portal a', 'portal b']);
    let at = 0;
    const most = async (caller?: string): Promise<number> => {
      for (let sent = 0; ; sent += 1) {
        const phone = `+9055511${String(10_000 + (at += 1))}`;
        if ((await send('1', phone, caller)) !== 'stored') return sent;
      }
    };
    expect(await most()).toBe(10); // The half that goes to whoever comes first.
    expect(await most('portal a')).toBe(5);
    expect(await most('portal b')).toBe(5);
    expect(await most('portal a')).toBe(0);
    now += DAY;
    expect(await most('portal a')).toBe(15);
    expect(await most()).toBe(0);
    expect(await most('portal b')).toBe(5);
  });

  it('apply to a day in total, even if two processes count at once', async () => {
    const other = await database.open();
    const policy = { limits: { ...LIMITS, perDayOverall: 10 }, countries: undefined };
    const here = codeAcceptance(store, policy, () => undefined);
    const there = codeAcceptance(other, policy, () => undefined);
    const decisions = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (at % 2 === 0 ? here : there)({
          ...{ code: '1', phone: `+9055511${String(10_000 + at)}`, createdAt: now, expiresAt: now + MINUTE },
        }),
      ),
    );
    expect(decisions.filter((decision) => decision.kind === 'stored')).toHaveLength(10);
  });

  it('never ask a caller to wait longer than the window, even after a clock change', async () => {
    const policy = { limits: { ...LIMITS, coolDownMs: MINUTE }, countries: undefined };
    const accept = codeAcceptance(store, policy, () => undefined);
    const send = (code: string) =>
      accept({ code, phone: '+905551112233', createdAt: now, expiresAt: now + 5 * MINUTE });
    for (let code = 0; code < 5; code += 1, now += MINUTE) await send(String(code));
    now -= 10 * 365 * DAY;
    expect(await send('5')).toEqual({ kind: 'too-many', retryAfterSeconds: 600 });
  });

  it('record the caller with each message', async () => {
    const acceptCode = codeAcceptance(store, { limits: LIMITS, countries: undefined }, () => undefined);
    const ask = authCode({ acceptCode, country: undefined, isCode: () => true, now: () => now });
    const mark = sendMarkNotes({
      messages: store.messages,
      keyForm: store.keyForm,
      wake: () => undefined,
      now: () => now,
    });
    const call = { annotate: () => undefined };
    await ask({ code: '1', phone: '+905551112233' }, { ...call, caller: 'portal a' });
    await ask({ code: '1', phone: '+905551112244' }, call);
    await mark(
      { id: 'N1', id_class: '1A', baseUrlSchool: 'http://school.example' },
      { ...call, caller: 'portal b' },
    );
    const stored = await store.deliveries.list({}, 10);
    expect(stored.map(({ caller }) => caller).toReversed()).toEqual(['portal a', null, 'portal b']);
  });
});

describe('two numbers', () => {
  it.each([
    ['+905551112233', '5551112233', true],
    ['+905551112233', '905551112233', true],
    ['05551112233', '905551112233', true],
    ['+4791234567', '91234567', true], // Eight digits, where the whole country has no more.
    ['+4791234567', '4791234567', true],
    ['+905551112233', '+905551112233', true],
    ['+12125551234', '+13125551234', false], // Both have their country: all digits tell.
    ['+905551112233', '5551112234', false],
    ['+905551112233', '4451112233', false],
    ['5551112233', '6661112233', false],
  ])('%s and %s belong to one phone: %s', (one, other, same) => {
    expect(isSamePhone(one, other)).toBe(same);
    expect(isSamePhone(other, one)).toBe(same);
  });
});

describe('the codes per day', () => {
  const used = (...codes: readonly (readonly [string, number])[]) =>
    codes.map(([caller, count]) => ({ caller, codes: count }));

  it.each([
    ['the last one', '', 10, [], used(['', 9]), true],
    ['one too many', '', 10, [], used(['', 10]), false],
    ['of an unknown caller while a known one has a share left', '', 10, ['a'], used(['', 5]), false],
    ['of a caller no longer listed', 'b', 10, ['a'], used(['b', 5]), false],
    ['of the caller that owns the share', 'a', 10, ['a'], used(['', 5], ['a', 4]), true],
    ['of a caller past its share, without others', 'a', 10, ['a'], used(['a', 9]), true],
    ['of a caller past its share, while another has one', 'a', 10, ['a', 'b'], used(['a', 8]), false],
    ['after the limit was lowered', 'a', 10, ['a'], used(['', 50]), false],
  ])('leave room for one more: %s', (_what, caller, most, known, counted, room) => {
    expect(hasRoomFor(caller, most, known, counted)).toBe(room);
  });
});
