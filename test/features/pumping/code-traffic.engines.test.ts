import { type AreaSpan, type BlockedArea, CodeTraffic } from '../../../src/features/pumping/code-traffic';
import type { NewMessage, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = Date.parse('2026-03-02T00:00:00Z') / DAY;
const NOW = TODAY * DAY + 10 * HOUR;
const RANGE = { from: 'n:TJ:90000', to: 'n:TJ:90001' };
const COUNTRY = { from: 'n:TJ:', to: 'n:TJ;' };
const NEW_COUNTRIES = { from: 'n:', to: 'n;' };
const NONE = { codes: 0, phones: 0 };

describe.each(ENGINES)('code traffic on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  async function send(area: string | undefined, codes: readonly Partial<NewMessage>[]): Promise<void> {
    await store.write(async ({ messages }) => {
      await messages.enqueueAll(
        codes.map((code) => ({
          ...{ channel: 'sms', recipient: '+992900001111', school: '', payload: {}, dedupeKey: null, area },
          ...{ createdAt: NOW, expiresAt: NOW + HOUR, ...code },
        })),
      );
    });
  }
  const times = (count: number, code: Partial<NewMessage>) => Array.from({ length: count }, () => code);
  const block = (area: Partial<BlockedArea>) =>
    store.write((transaction) =>
      transaction.repository(CodeTraffic).block({
        ...{
          area: RANGE.from,
          caller: 'app',
          blockedFrom: NOW,
          blockedUntil: NOW + HOUR,
          codes: 12,
          ...area,
        },
      }),
    );
  function asked(spans: readonly AreaSpan[], caller = 'app') {
    return { caller, dayAgo: NOW - DAY, hourAgo: NOW - HOUR, spans };
  }
  const count = (spans: readonly AreaSpan[], caller?: string) =>
    store.write((transaction) => transaction.repository(CodeTraffic).count(asked(spans, caller)));
  const glance = (spans: readonly AreaSpan[], caller?: string) =>
    store.write((transaction) => transaction.repository(CodeTraffic).glance(asked(spans, caller)));

  it('is counted by caller and span: codes and phones of the last day and hour', async () => {
    await send(RANGE.from, [
      ...[
        { caller: 'app', createdAt: NOW - DAY },
        { caller: 'app', createdAt: NOW - DAY + 1 },
      ],
      ...[
        { caller: 'app', createdAt: NOW - HOUR },
        { caller: 'app', createdAt: NOW - HOUR + 1 },
      ],
      { caller: 'app', recipient: '+992900002222' },
      { caller: 'panel', recipient: '+992900003333' },
      { recipient: '+992900004444' },
    ]);
    await send(RANGE.to, [{ caller: 'app', recipient: '+992900015555' }]);
    await send('n:TM:65111', [{ caller: 'app', recipient: '+99365111111' }]);
    await send('s:DE:15111', [{ caller: 'app' }]);
    await send('h:TR:555111', [{ caller: 'app' }]);
    await send(undefined, [{ caller: 'app' }]);

    const inRange = { ofDay: { codes: 4, phones: 2 }, ofHour: { codes: 2, phones: 2 } };
    const inCountry = { ofDay: { codes: 5, phones: 3 }, ofHour: { codes: 3, phones: 3 } };
    expect(await count([RANGE, COUNTRY, NEW_COUNTRIES])).toEqual([
      inRange,
      inCountry,
      { ofDay: { codes: 6, phones: 4 }, ofHour: { codes: 4, phones: 4 } },
    ]);
    expect(await count([COUNTRY, RANGE])).toEqual([inCountry, inRange]);
    expect(await count([RANGE], '')).toEqual([
      { ofDay: { codes: 1, phones: 1 }, ofHour: { codes: 1, phones: 1 } },
    ]);
    expect(await count([RANGE], 'nobody')).toEqual([{ ofDay: NONE, ofHour: NONE }]);
    await expect(count([RANGE, COUNTRY, NEW_COUNTRIES, NEW_COUNTRIES])).rejects.toThrow('this many spans');
  });

  it('is quickly summed over all callers, with what is blocked for one', async () => {
    await send(RANGE.from, [{ caller: 'panel' }, { caller: 'panel' }, { createdAt: NOW - DAY }]);
    await send(RANGE.to, [{}]);
    await send('h:TR:555111', times(9, { caller: 'app' }));
    await send('s:DE:15111', times(9, { caller: 'app' }));
    const inRange = { blockedUntil: 0, codes: 2 };
    const inCountry = { blockedUntil: 0, codes: 3 };
    expect(await glance([RANGE])).toEqual([inRange]);
    expect(await glance([RANGE, COUNTRY, NEW_COUNTRIES])).toEqual([inRange, inCountry, inCountry]);

    await block({ area: RANGE.to });
    await block({ caller: 'panel' });
    expect(await glance([RANGE, COUNTRY])).toEqual([inRange, inCountry]);
    await block({ area: COUNTRY.from });
    expect(await glance([COUNTRY, RANGE])).toEqual([{ ...inCountry, blockedUntil: NOW + HOUR }, inRange]);
    expect(await glance([COUNTRY, RANGE], 'panel')).toEqual([
      inCountry,
      { ...inRange, blockedUntil: NOW + HOUR },
    ]);
  });

  it('is blocked once for each area and caller, until that ends or the clock is set back', async () => {
    const again = NOW + HOUR;
    const held = { area: RANGE.from, caller: 'app', blockedFrom: NOW, blockedUntil: again, codes: 12 };
    expect(await block({})).toBe(true);
    expect(await block({ blockedFrom: again - 1, blockedUntil: again + DAY, codes: 99 })).toBe(false);
    expect(await store.repository(CodeTraffic).blockedSince(NOW)).toEqual([held]);
    expect(await block({ caller: '', blockedFrom: NOW + 1 })).toBe(true);
    expect(await block({ area: RANGE.to, blockedFrom: NOW - 1 })).toBe(true);

    const later = { blockedFrom: again, blockedUntil: again + HOUR, codes: 13 };
    expect(await block(later)).toBe(true);
    expect(await store.repository(CodeTraffic).blockedSince(0)).toEqual([
      { ...held, ...later },
      { ...held, caller: '', blockedFrom: NOW + 1 },
      { ...held, area: RANGE.to, blockedFrom: NOW - 1 },
    ]);
    expect(await store.repository(CodeTraffic).blockedSince(again)).toEqual([{ ...held, ...later }]);
    expect(await block({ ...later, blockedFrom: again + 1 })).toBe(false);
    expect(await block({})).toBe(true);
    expect(await store.repository(CodeTraffic).blockedSince(again)).toEqual([]);
  });

  it('is counted by caller while it is not yet counted by day', async () => {
    const home = { from: 'h:', to: 'h;' };
    await send('h:', [{ caller: 'app' }]);
    await send('h:TR:555111', [...times(2, { caller: 'app' }), {}, { caller: 'app', createdAt: NOW - DAY }]);
    await send('h;', [{ caller: 'panel' }]);
    await send('g:TR:555111', [{ caller: 'panel' }]);
    expect(await store.repository(CodeTraffic).byCaller(home, NOW - DAY)).toEqual(
      new Map([
        ['app', 3],
        ['', 1],
      ]),
    );
  });

  /** Sends what waits, and counts it by day. */
  async function settleAndMask(createdUntil: number, limit = 500): Promise<number> {
    const lease = { owner: 'w', leaseUntil: NOW + 1, channel: 'sms', now: NOW } as const;
    for (const { id } of await store.outbox.claim({ ...lease, limit: 500 })) {
      await store.outbox.settle({
        ...{ ...lease, id, state: 'sent', nextAttemptAt: NOW, attempted: true, erase: true },
        ...{ providerId: null, reason: null },
      });
    }
    return mask(createdUntil, limit);
  }
  const mask = (createdUntil: number, limit: number) =>
    store.write(({ retention }) =>
      retention.maskPhones(createdUntil, limit, (phone) => `...${phone.slice(-2)}`),
    );
  const past = async (sinceDay: number, minOfRange: number) =>
    (await store.repository(CodeTraffic).past(sinceDay, minOfRange))
      .map(({ area, caller, codes }) => `${area} ${caller}: ${String(codes)}`)
      .toSorted();

  it('is counted by day when numbers are masked, the oldest first, each once', async () => {
    const yesterday = { caller: 'app', createdAt: NOW - DAY };
    await send('h:TR:555111', [{ ...yesterday, createdAt: NOW - DAY + 1 }, ...times(3, yesterday)]);
    await send('n:TJ:90000', [{ createdAt: TODAY * DAY }, { createdAt: TODAY * DAY - 1 }]);
    await send(undefined, [{ createdAt: NOW - 2 * DAY }]);
    expect(await mask(NOW, 9)).toBe(0); // They are still to be sent.

    expect(await settleAndMask(NOW, 4)).toBe(4);
    expect(await past(0, 0)).toEqual(['TR app: 3', 'TR:555111 app: 3']);
    expect(await settleAndMask(TODAY * DAY - 1)).toBe(2);
    expect(await settleAndMask(TODAY * DAY)).toBe(1);
    expect(await settleAndMask(TODAY * DAY)).toBe(0);
    const all = ['TJ : 2', 'TJ:90000 : 2', 'TR app: 4', 'TR:555111 app: 4'];
    expect(await past(0, 0)).toEqual(all);
    expect(await past(TODAY - 1, 2)).toEqual(all);
    // Ranges that matter; and countries, for these days and in all.
    expect(await past(TODAY - 1, 3)).toEqual(['TJ : 2', 'TR app: 4', 'TR:555111 app: 4']);
    expect(await past(TODAY, 1)).toEqual(['TJ : 1', 'TJ:90000 : 1', 'TR app: 0']);
    expect((await store.deliveries.list({}, 9)).map(({ recipient }) => recipient)).toEqual(
      Array.from({ length: 7 }, () => '...11'),
    );
    expect(await store.repository(CodeTraffic).byCaller({ from: 'a', to: 'z' }, 0)).toEqual(new Map());
  });

  it('is counted for each caller and day when several numbers are masked at once', async () => {
    const yesterday = { createdAt: NOW - DAY };
    await send('h:TR:555111', [...times(2, { caller: 'app' }), {}, { ...yesterday, caller: 'app' }]);
    await send('h:TR:555222', [...times(3, { caller: 'panel' }), { caller: 'app' }]);
    expect(await settleAndMask(NOW)).toBe(8);
    const byArea = ['TR : 1', 'TR app: 4', 'TR panel: 3', 'TR:555111 : 1', 'TR:555111 app: 3'];
    expect(await past(0, 0)).toEqual([...byArea, 'TR:555222 app: 1', 'TR:555222 panel: 3']);
    expect(await past(TODAY, 0)).toContain('TR:555111 app: 2');
  });

  it('is counted once when several processes mask the same numbers', async () => {
    await send('h:TR:555111', times(40, { caller: 'app' }));
    await settleAndMask(NOW - 1);
    const others = [store, await database.open(), await database.open()];
    await Promise.all(
      others.map((each) =>
        each.write(({ retention }) => retention.maskPhones(NOW, 50, (phone) => `...${phone.slice(-2)}`)),
      ),
    );
    expect(await past(0, 0)).toEqual(['TR app: 40', 'TR:555111 app: 40']);
  });

  it('is forgotten day by day: first ranges, then countries, and past blocks', async () => {
    for (const daysAgo of [0, 1, 2]) {
      await send('h:TR:555111', [{ createdAt: NOW - daysAgo * DAY, caller: `${String(daysAgo)} days ago` }]);
    }
    await settleAndMask(NOW);
    await block({ caller: 'first' });
    await block({ caller: 'second', blockedUntil: NOW + HOUR + 1 });
    const removeAt = (now: number) => store.write(({ retention }) => retention.removeOutdated(now));
    const held = async () =>
      (await store.repository(CodeTraffic).blockedSince(0)).map(({ caller }) => caller);

    // Ranges and blocks are kept for 14 days, countries for 400.
    await removeAt(NOW + HOUR + 13 * DAY);
    expect(await past(0, 0)).toEqual([
      ...['TR 0 days ago: 1', 'TR 1 days ago: 1', 'TR 2 days ago: 1'],
      ...['TR:555111 0 days ago: 1', 'TR:555111 1 days ago: 1'],
    ]);
    expect((await held()).toSorted()).toEqual(['first', 'second']);
    await removeAt(NOW + HOUR + 14 * DAY + 1);
    expect((await past(0, 0)).filter((line) => line.includes(':555111'))).toEqual([
      'TR:555111 0 days ago: 1',
    ]);
    expect(await held()).toEqual(['second']);
    await removeAt(NOW + 399 * DAY);
    expect(await past(0, 0)).toEqual(['TR 0 days ago: 1', 'TR 1 days ago: 1']);
    expect(await held()).toEqual([]);
  });
});
