import type { CallerCount, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.parse('2026-11-23T10:00:00Z');

const PORTAL: CallerCount = {
  ...{ at: NOW, caller: 'portal', address: undefined, agent: 'dotnet' },
  ...{ operation: 'AuthCode', binding: 'soap11', outcome: 'ok', requests: 2 },
};
const STRANGER: CallerCount = { ...PORTAL, caller: undefined, address: '198.51.100.0/24', binding: 'get' };

describe.each(ENGINES)('the callers on %s', (engineName) => {
  const database = useDatabase(engineName);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const add = (callers: readonly CallerCount[], now = NOW) => store.stats.add([], callers, now);
  const list = (from = NOW, to = NOW) => store.callers.list({ from, to });

  it('are listed with what they called and how often, the most recent first', async () => {
    await add([PORTAL, STRANGER, { ...PORTAL, requests: 3 }]);
    await add([{ ...PORTAL, at: NOW + MINUTE, requests: 1 }]);
    // The clock was put back.
    await add([{ ...PORTAL, at: NOW - MINUTE, requests: 1 }]);
    await add([{ ...STRANGER, address: undefined, at: NOW + 2 * MINUTE }]);
    const alike = { agent: 'dotnet', operation: 'AuthCode', outcome: 'ok' };
    expect(await list()).toEqual([
      ...[
        {
          ...alike,
          caller: undefined,
          address: undefined,
          binding: 'get',
          requests: 2,
          lastSeenAt: NOW + 2 * MINUTE,
        },
      ],
      ...[
        {
          ...alike,
          caller: 'portal',
          address: undefined,
          binding: 'soap11',
          requests: 7,
          lastSeenAt: NOW + MINUTE,
        },
      ],
      ...[
        {
          ...alike,
          caller: undefined,
          address: STRANGER.address,
          binding: 'get',
          requests: 2,
          lastSeenAt: NOW,
        },
      ],
    ]);
  });

  it('are distinguished by every label, even when added together', async () => {
    const apart = [
      PORTAL,
      { ...PORTAL, binding: 'get' },
      { ...PORTAL, agent: 'php' },
      { ...PORTAL, operation: 'SendMarkNotes' },
      { ...PORTAL, caller: 'other portal' },
      { ...PORTAL, caller: undefined, address: '198.51.100.0/24' },
      { ...PORTAL, caller: undefined, address: '203.0.113.0/24' },
    ];
    await add(apart);
    const rows = (await list()).map(({ lastSeenAt: at, ...row }) => ({ ...row, at }));
    expect(rows).toHaveLength(apart.length);
    expect(rows).toEqual(expect.arrayContaining(apart));
  });

  it('are summed over the days of a period', async () => {
    for (let day = 0; day < 4; day += 1) await add([{ ...PORTAL, at: NOW + day * DAY }]);
    expect(await list(NOW + DAY, NOW + 2 * DAY)).toMatchObject([{ requests: 4, lastSeenAt: NOW + 2 * DAY }]);
    expect(await list(NOW + 4 * DAY, NOW + 5 * DAY)).toEqual([]);
  });

  it('are distinguished only by name beyond 300 addresses in a day', async () => {
    const strangers = Array.from({ length: 320 }, (_, at) => ({
      ...STRANGER,
      address: `192.0.2.${String(at)}`,
    }));
    await add(strangers.slice(0, 200));
    await add([...strangers.slice(150), PORTAL]);
    await add([{ ...STRANGER, address: '192.0.2.7' }]);

    const records = await list();
    expect(records.filter(({ caller }) => caller === 'portal')).toMatchObject([{ requests: 2 }]);
    const addresses = new Map(records.map(({ address, requests }) => [address, requests]));
    expect(addresses.get('192.0.2.7')).toBe(4);
    expect(addresses.get('192.0.2.160')).toBe(4);
    // None of the 320 is lost.
    expect(addresses.get('others')).toBe(2 * (320 - 300));
    expect(records).toHaveLength(300 + 2);

    await add([{ ...STRANGER, at: NOW + DAY, address: '203.0.113.1' }]);
    expect(await list(NOW + DAY, NOW + DAY)).toMatchObject([{ address: '203.0.113.1' }]);
  });

  it('are kept for thirteen months', async () => {
    await add([PORTAL]);
    await add([], NOW + 400 * DAY);
    expect(await list()).toHaveLength(1);
    await add([], NOW + 401 * DAY);
    expect(await list()).toEqual([]);
  });
});
