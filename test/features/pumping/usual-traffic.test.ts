// What the guard against pumping takes for usual; test/features/pumping/attacks.endurance.test.ts attacks it for simulated weeks.

import { findArea } from '../../../src/delivery/policy/number-area';
import { UsualTraffic } from '../../../src/features/pumping/usual-traffic';
import type { CodeTraffic, PastTraffic } from '../../../src/features/pumping/code-traffic';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = 20_000 * DAY + 7 * HOUR;

const NUMBERS = { turkey: '+905551112233', tajikistan: '+992900001234', germany: '+4915112345678' } as const;

interface Counted {
  readonly past: readonly PastTraffic[];
  readonly homeToday: ReadonlyMap<string, number>;
}

/** Counts of a store, and the questions about them. */
function trafficOf(counted: Counted) {
  const asked: unknown[] = [];
  const codeTraffic = {
    past: (...args: readonly unknown[]) => {
      asked.push(['past', ...args]);
      return Promise.resolve(counted.past);
    },
    byCaller: (...args: readonly unknown[]) => {
      asked.push(['byCaller', ...args]);
      return Promise.resolve(counted.homeToday);
    },
  };
  return { asked, traffic: codeTraffic as unknown as Pick<CodeTraffic, 'past' | 'byCaller'> };
}

/** Traffic of the last days: nearly all codes go to the families' country, a few abroad. */
const PAST: readonly PastTraffic[] = [
  { caller: 'portal', area: 'TR', codes: 1400 },
  { caller: 'portal', area: 'TR:555111', codes: 280 },
  { caller: 'app', area: 'TR', codes: 420 },
  { caller: 'portal', area: 'DE', codes: 28 },
  { caller: 'portal', area: 'FR', codes: 14 },
  { caller: 'app', area: 'DE', codes: 42 },
];

describe('the usual traffic', () => {
  async function marks(
    past: readonly PastTraffic[],
    homes: readonly 'DE'[] = [],
  ): Promise<readonly string[]> {
    const traffic = await new UsualTraffic(trafficOf({ past, homeToday: new Map() }).traffic, homes, 1).at(
      NOW,
    );
    return [...Object.values(NUMBERS), '05551112233'].map((phone) =>
      traffic.markOf('portal', findArea(phone)),
    );
  }

  it('distinguishes home, a known country and a new one', async () => {
    expect(await marks(PAST)).toEqual(['h', 'n', 's', 'h']);
    expect(await marks(PAST, ['DE'])).toEqual(['s', 'n', 'h', 'h']);
  });

  it('counts every country as home before there is a history', async () => {
    expect(await marks([])).toEqual(['h', 'h', 'h', 'h']);
    expect(await marks([], ['DE'])).toEqual(['n', 'n', 'h', 'h']);
  });

  it('counts a country as home if a tenth of all codes goes there, whichever caller sends them', async () => {
    const german = (codes: number): readonly PastTraffic[] => [
      { caller: 'portal', area: 'TR', codes: 900 },
      { caller: 'app', area: 'DE', codes: codes - 1 },
      { caller: 'portal', area: 'DE', codes: 1 },
    ];
    expect((await marks(german(100)))[2]).toBe('h');
    expect((await marks(german(99)))[2]).toBe('s');
  });

  it('is the average of fourteen days, per caller', async () => {
    const { traffic: counts } = trafficOf({ past: PAST, homeToday: new Map([['portal', 77]]) });
    const traffic = await new UsualTraffic(counts, [], 1).at(NOW);
    expect([
      traffic.ofDay('portal', 'TR'),
      traffic.ofDay('portal', 'TR:555111'),
      traffic.ofDay('app', 'FR'),
    ]).toEqual([100, 20, 0]);
    expect(['portal', 'app', 'other'].map((caller) => traffic.abroadOfDay(caller))).toEqual([3, 3, 0]);
    expect(['portal', 'app'].map((caller) => traffic.homeToday(caller))).toEqual([77, 0]);
  });

  it('counts everything outside the configured home countries as abroad', async () => {
    const { traffic: counts } = trafficOf({ past: PAST, homeToday: new Map() });
    const traffic = await new UsualTraffic(counts, ['DE', 'FR'], 1).at(NOW);
    expect(traffic.abroadOfDay('portal')).toBe(100);
  });

  it('is read again after the store has failed', async () => {
    const { traffic: counts } = trafficOf({ past: PAST, homeToday: new Map([['portal', 77]]) });
    let fails = true;
    const byCaller: typeof counts.byCaller = (...args) =>
      fails ? Promise.reject(new Error('down')) : counts.byCaller(...args);
    const usual = new UsualTraffic({ past: counts.past, byCaller }, [], 1);
    const both = await Promise.allSettled([usual.at(NOW), usual.at(NOW)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect((await usual.at(NOW)).homeToday('portal')).toBe(77);
  });

  it('is read once a minute, and for other days once an hour, even after the clock was set back', async () => {
    const { asked, traffic: counts } = trafficOf({ past: PAST, homeToday: new Map() });
    const usual = new UsualTraffic(counts, [], 28);
    await Promise.all([usual.at(NOW), usual.at(NOW)]);
    const home = { from: 'h:', to: 'h;' };
    expect(asked.splice(0)).toEqual([
      ['past', 20_000 - 14, 28],
      ['byCaller', home, NOW - DAY],
    ]);
    await usual.at(NOW + MINUTE);
    expect(asked.splice(0)).toEqual([]);
    await usual.at(NOW + MINUTE + 1);
    expect(asked.splice(0)).toEqual([['byCaller', home, NOW + MINUTE + 1 - DAY]]);
    await usual.at(NOW + HOUR + 1);
    expect(asked.splice(0)).toHaveLength(2);
    await usual.at(NOW - DAY);
    expect(asked.splice(0)).toHaveLength(2);
  });
});
