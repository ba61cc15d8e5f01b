// What the guard against pumping holds and says; test/features/pumping/attacks.endurance.test.ts attacks it.

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Writable } from 'node:stream';

import { loadConfig } from '../../../src/config';
import { createDelivery } from '../../../src/delivery';
import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import { CodeTraffic } from '../../../src/features/pumping/code-traffic';
import { countBlockedAreas } from '../../../src/features/pumping/guard-report';
import { openGuard } from '../../../src/features/pumping/open-guard';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { DAY, deliver, four, HOUR, MINUTE, SECOND, serviceOn, START } from './guarded-service';

const HOLD_MS = 12 * HOUR;

describe.each(ENGINES)('a blocked area on %s', (engine) => {
  const database = useDatabase(engine);

  it('is blocked in all processes for twelve hours, whichever of them counted it', async () => {
    const stores = [await database.open(), await database.open()] as const;
    const [here, there] = [serviceOn(stores[0]), serviceOn(stores[1])];
    const decisions = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? here : there)(`+99290000${four(at)}`, START)),
    );
    expect(decisions.filter(({ kind }) => kind === 'stored')).toHaveLength(12);
    expect(decisions.filter(({ kind }) => kind === 'too-many')).toHaveLength(48);
    for (const ask of [here, there]) {
      expect(await ask('+992900009999', START + HOLD_MS - SECOND)).toEqual({
        ...{ kind: 'too-many', retryAfterSeconds: 1, unusual: true },
      });
    }
    expect(await stores[0].repository(CodeTraffic).blockedSince(START)).toEqual([
      ...[{ area: 'n:TJ:90000', caller: '', blockedFrom: START, blockedUntil: START + HOLD_MS, codes: 12 }],
    ]);
    expect(await here('+992900009999', START + HOLD_MS)).toMatchObject({ kind: 'stored' });
    // At home everything goes on.
    expect(await here('+905551112233', START)).toMatchObject({ kind: 'stored' });
  });

  it('is open to a clock that was set back to before it was blocked', async () => {
    const store = await database.open();
    const blockedFrom = START + DAY;
    const block = { area: 'n:TJ:90000', caller: '', codes: 12, blockedFrom };
    await store.repository(CodeTraffic).block({ ...block, blockedUntil: blockedFrom + HOLD_MS });
    const ask = serviceOn(store);
    expect(await ask('+992900000001', blockedFrom + HOLD_MS - SECOND)).toMatchObject({ kind: 'too-many' });
    expect(await ask('+992900000001', blockedFrom)).toMatchObject({ kind: 'too-many' });
    expect(await ask('+992900000001', blockedFrom - SECOND)).toMatchObject({ kind: 'stored' });
  });

  it('is forgotten along with the daily counts once they are no longer of use', async () => {
    const store = await database.open();
    const ask = serviceOn(store);
    for (let at = 0; at < 15; at += 1) await ask(`+99290000${four(at)}`, START);
    await ask('+905551112233', START);
    await deliver(store, START + DAY);
    const today = START / DAY;
    const past = async () =>
      (await store.repository(CodeTraffic).past(today, 0)).toSorted((one, other) =>
        one.area < other.area ? -1 : 1,
      );
    expect(await past()).toEqual([
      { caller: '', area: 'TJ', codes: 12 },
      { caller: '', area: 'TJ:90000', codes: 12 },
      { caller: '', area: 'TR', codes: 1 },
      { caller: '', area: 'TR:555111', codes: 1 },
    ]);
    // Counted by day, and no longer by themselves.
    expect(await store.repository(CodeTraffic).byCaller({ from: 'a', to: 'z' }, 0)).toEqual(new Map());
    await eraseExpired(store, 0, START + 16 * DAY);
    expect(await past()).toMatchObject([{ area: 'TJ' }, { area: 'TR' }]);
    expect(await store.repository(CodeTraffic).blockedSince(0)).toEqual([]);
    await eraseExpired(store, 0, START + 402 * DAY);
    expect(await past()).toEqual([]);
  });
});

describe('the pumping guard', () => {
  const database = useDatabase('sqlite');

  async function delivery(settings: Readonly<Record<string, string>>) {
    const store = await database.open();
    const lines: Record<string, unknown>[] = [];
    const log = new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
        done();
      },
    });
    const registry = new Registry();
    const core = {
      ...{ store, registry, logger: pino({ level: 'warn' }, log) },
      config: loadConfig({ DATA_DIR: database.folder, ROLE: 'web', DEFAULT_COUNTRY: 'TR', ...settings }),
    };
    const guard = openGuard(core);
    const { acceptCode } = createDelivery({
      ...{ ...core, announce: () => undefined },
      ...{ guard, takeReceipts: undefined },
    });
    const ask = async (phone: string, at = 0, caller?: string) => {
      const createdAt = START + at;
      return acceptCode({ code: String(at), phone, caller, createdAt, expiresAt: createdAt + MINUTE });
    };
    return { store, lines, registry, ask };
  }

  it('only reports when it records: once in the log, every code in the metrics', async () => {
    const { lines, registry, ask } = await delivery({});
    const kinds = new Set<string>();
    for (let at = 0; at < 40; at += 1) kinds.add((await ask(`+99290000${four(at)}`, at)).kind);
    expect(kinds).toEqual(new Set(['stored']));
    expect(await ask('+992900009999', 41)).toMatchObject({ kind: 'stored', unusual: true });
    expect(lines).toEqual([
      expect.objectContaining({
        ...{
          level: 40,
          counted: 'range',
          area: 'TJ 90000',
          codes: 12,
          until: new Date(START + 12 + HOLD_MS).toISOString(),
        },
        msg: 'unusual number of codes to this area; PUMPING_GUARD=enforce would block it',
      }),
    ]);
    expect(await registry.metrics()).toContain(
      'delivery_unusual_codes_total{level="range",refused="false"} 29',
    );
  });

  it('refuses codes when it is enforced, and reports nothing when it is off', async () => {
    const enforced = await delivery({ PUMPING_GUARD: 'enforce' });
    for (let at = 0; at < 12; at += 1) await enforced.ask(`+90555123${four(at)}`, at);
    expect(await enforced.ask('+905551239999', 20)).toMatchObject({ kind: 'too-many' });
    expect(enforced.lines).toMatchObject([
      { area: 'TR 555123', msg: 'unusual number of codes to this area, blocked for now' },
    ]);
    expect(enforced.lines[0]).not.toHaveProperty('caller');
    expect(await enforced.registry.metrics()).toContain(
      'delivery_unusual_codes_total{level="range",refused="true"} 1',
    );

    const off = await delivery({ PUMPING_GUARD: 'off' });
    for (let at = 0; at < 30; at += 1)
      expect(await off.ask(`+90555124${four(at)}`, at)).not.toHaveProperty('unusual');
    expect(off.lines).toEqual([]);
  });

  it('names the caller whose codes it counts, if known', async () => {
    const { lines, ask } = await delivery({});
    for (let at = 0; at < 13; at += 1) await ask(`+99290000${four(at)}`, at, 'portal');
    expect(lines).toMatchObject([{ area: 'TJ 90000', caller: 'portal' }]);
  });

  it('reports in the metrics how much is blocked, or NaN if that cannot be read', async () => {
    const { store, ask } = await delivery({});
    const registry = new Registry();
    let readHeld = () => store.repository(CodeTraffic).blockedSince(START);
    countBlockedAreas(registry, () => readHeld());
    expect(await registry.metrics()).toContain('\ndelivery_blocked_areas 0\n');
    for (let at = 0; at < 13; at += 1) await ask(`+99290000${four(at)}`, at);
    expect(await registry.metrics()).toContain('\ndelivery_blocked_areas 1\n');
    readHeld = () => Promise.reject(new Error('lost'));
    expect(await registry.metrics()).toMatch(/\ndelivery_blocked_areas nan\n/i);
  });

  it.each([
    ['all', true],
    ['worker', true],
    ['web', false],
  ])('reports how much is blocked once for all processes: with ROLE=%s %j', async (ROLE, reports) => {
    const { registry } = await delivery({ ROLE });
    expect((await registry.metrics()).includes('\ndelivery_blocked_areas 0\n')).toBe(reports);
  });

  it('cannot be enforced without a setting for the families’ country', async () => {
    await expect(delivery({ PUMPING_GUARD: 'enforce', DEFAULT_COUNTRY: '' })).rejects.toThrow(
      'PUMPING_GUARD=enforce requires DEFAULT_COUNTRY or ALLOWED_COUNTRIES',
    );
    await expect(
      delivery({ PUMPING_GUARD: 'enforce', DEFAULT_COUNTRY: '', ALLOWED_COUNTRIES: 'TR,DE' }),
    ).resolves.toBeDefined();
  });

  it('counts DEFAULT_COUNTRY and ALLOWED_COUNTRIES as home', async () => {
    const { lines, ask } = await delivery({ PUMPING_GUARD: 'enforce', ALLOWED_COUNTRIES: 'TR,DE' });
    for (let at = 0; at < 40; at += 1)
      expect(await ask(`+4916${four(at * 7)}${four(at)}`, at)).toMatchObject({ kind: 'stored' });
    expect(lines).toEqual([]);
  });

  it('learns the families’ country if no setting gives it', async () => {
    const { store, lines, ask } = await delivery({ DEFAULT_COUNTRY: '' });
    for (let at = 0; at < 40; at += 1) await ask(`+90532${four(at * 7)}${four(at)}`.slice(0, 13), at);
    expect(lines).toEqual([]); // Nothing is known on the first day: only ranges are looked at.
    await deliver(store, START + DAY);
    for (let at = 0; at < 40; at += 1)
      await ask(`+90533${four(at * 7)}${four(at)}`.slice(0, 13), DAY + HOUR + at);
    expect(lines).toEqual([]);
    for (let at = 0; at < 40; at += 1) await ask(`+4916${four(at * 7)}${four(at)}`, DAY + HOUR + at);
    expect(lines).toMatchObject([{ counted: 'abroad', codes: 20 }]);
  });

  it.each([
    ['a satellite', '+881612345678'],
    ['a ship', '+870773123456'],
    ['an international network', '+882161234567'],
    ['an international premium rate', '+979123456789'],
    ['a premium rate at home', '+909001234567'],
    ['a shared cost', '+491801234567'],
    ['a personal number', '+447012345678'],
  ])('sends no code to %s', async (_what, phone) => {
    expect(parsePhoneNumberFromString(phone)?.isPossible()).toBe(true);
    expect(await (await delivery({})).ask(phone)).toEqual({ kind: 'premium-number' });
  });
});
