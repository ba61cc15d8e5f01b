// Codes that go where nobody lives: attackers earn with each SMS to numbers of their own.

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Writable } from 'node:stream';

import { loadConfig } from '../../src/config';
import { createDelivery } from '../../src/delivery';
import { codeAcceptance } from '../../src/delivery/policy/accept-code';
import { eraseExpired } from '../../src/delivery/policy/erase-expired';
import { areaOf } from '../../src/delivery/policy/number-area';
import { HOLD_MS, PumpingGuard } from '../../src/delivery/policy/pumping-guard';
import { openStore, type Store } from '../../src/store';
import { Random } from '../support/random';
import { ENGINES, useDatabase } from '../support/test-databases';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Monday. */
const START = Date.parse('2026-08-31T00:00:00Z');
const MOST = 20;
const LIMITS = { repeatMs: MINUTE, coolDownMs: 0, perTenMinutes: 5, perDay: 20, perDayOverall: 0 };

/** A service that enforces the guard, for families in Turkey. */
function serviceOn(store: Store, enforces = true) {
  const guard = new PumpingGuard(store, ['TR'], enforces);
  const accept = codeAcceptance(store, { limits: LIMITS, countries: undefined, guard }, () => undefined);
  let code = 0;
  return (phone: string, now: number, caller?: string) => {
    code += 1;
    return accept({ code: String(code), phone, caller, createdAt: now, expiresAt: now + 5 * MINUTE });
  };
}

/** What the worker does with codes: sends them, and forgets them a day later. */
async function deliver(store: Store, now: number): Promise<void> {
  const lease = { channel: 'sms', owner: 'w', leaseUntil: now + 1 } as const;
  for (;;) {
    const claimed = await store.outbox.claim({ ...lease, limit: 500, now });
    if (claimed.length === 0) break;
    for (const { id, leaseUntil } of claimed) {
      await store.outbox.settle({
        ...{ id, owner: 'w', leaseUntil, state: 'sent', nextAttemptAt: now, attempted: true, now },
        ...{ erase: true, providerId: null, reason: null },
      });
    }
  }
  await eraseExpired(store, 0, now);
}

function oneOf<T>(random: Random, values: readonly T[]): T {
  const [first, ...others] = values;
  if (first === undefined) throw new Error('There is nothing to choose from');
  return random.pick([first, ...others]);
}

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => String(random.below(10))).join('');

/** Numbers of families: most at home, some of them neighbours in a range; some where their relatives live. */
function families(random: Random, count: number): readonly string[] {
  const neighbours = Array.from(
    { length: 10 },
    () => `+90${oneOf(random, ['532', '541'])}${digits(random, 3)}`,
  );
  const abroad = [
    () => `+49151${digits(random, 8)}`,
    () => `+963944${digits(random, 6)}`,
    () => `+99450${digits(random, 7)}`,
    () => `+9647701${digits(random, 6)}`,
  ];
  return Array.from({ length: count }, () => {
    const kind = random.below(100);
    if (kind < 3) return oneOf(random, abroad)();
    if (kind < 13) return `${oneOf(random, neighbours)}${digits(random, 4)}`;
    return `+905${oneOf(random, ['30', '33', '36', '42', '44', '52', '55', '59'])}${digits(random, 7)}`;
  });
}

/** When on a day codes are asked for: mostly in the morning. */
function timeOfDay(random: Random): number {
  const [from, until] = random.below(10) < 4 ? [7, 9] : [9, 21];
  return from * HOUR + random.below((until - from) * HOUR);
}

/** What families ask for on a day. */
function askedOn(random: Random, day: number, among: readonly string[], active: number) {
  return Array.from({ length: active }, () => {
    const phone = oneOf(random, among);
    const first = timeOfDay(random);
    // Some ask again, since the first is late, or for another child.
    const again = random.below(10) < 3 ? 1 + random.below(3) : 0;
    return Array.from({ length: 1 + again }, (_, at) => ({ phone, time: day + first + at * 3 * MINUTE }));
  })
    .flat()
    .sort((one, other) => one.time - other.time);
}

/** As many families as there are, each once, and some more. */
const QUIET = 6;
const USUAL = 280;
const FIRST_DAY = 1100;

describe('normal traffic', () => {
  it.each([1, 2])(
    'of thirty days, with a first day of school, is never refused (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const store = await openStore({ url: 'sqlite::memory:' });
      const ask = serviceOn(store);
      const all = families(random, 600);
      const refused: unknown[] = [];
      let stored = 0;
      for (let day = 0; day < 30; day += 1) {
        const isSchool = day >= 14 && day % 7 < 5;
        const active = day === 14 ? FIRST_DAY : isSchool ? USUAL : QUIET;
        for (const { phone, time } of askedOn(random, START + day * DAY, all, active)) {
          const decision = await ask(phone, time);
          if (decision.kind === 'stored') stored += 1;
          // A family that asks too often is another limit's business.
          else if (!('unusual' in decision)) continue;
          else refused.push([day, phone, decision]);
        }
        await deliver(store, START + (day + 1) * DAY);
      }
      await store.close();
      expect(refused).toEqual([]);
      expect(stored).toBeGreaterThan(4000);
    },
    120_000,
  );
});

/** Numbers of an attack, the next one each time. */
type Numbers = (random: Random, at: number) => string;

const four = (at: number): string => String(at % 10_000).padStart(4, '0');
const COUNTRIES = ['216', '245', '231', '960', '676', '675', '220', '232', '224', '257'];

const ATTACKS: readonly (readonly [string, Numbers, everyMs: number])[] = [
  ['one range abroad', (_random, at) => `+99290000${four(at)}`, 5],
  ['one range at home', (_random, at) => `+90555123${four(at)}`, 5],
  ['many ranges of a country', (random) => `+25261${digits(random, 7)}`, 5],
  ['many ranges of many countries', (random) => `+${oneOf(random, COUNTRIES)}6${digits(random, 7)}`, 5],
  ['a country where families have relatives', (random) => `+49160${digits(random, 7)}`, 5],
  ['one range abroad, slowly', (_random, at) => `+23276123${four(at).slice(1)}`, 15 * MINUTE],
  ['many ranges abroad, slowly', (random) => `+9607${digits(random, 6)}`, 15 * MINUTE],
  ['one range at home, slowly', (_random, at) => `+90532765${four(at)}`, 15 * MINUTE],
];

describe('an attack', () => {
  let store: Store;
  let ask: ReturnType<typeof serviceOn>;
  let day = START;
  const random = new Random(7);
  const all = families(random, 600);

  async function aSchoolDay(active: number): Promise<void> {
    for (const { phone, time } of askedOn(random, day, all, active)) await ask(phone, time);
  }

  beforeAll(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    ask = serviceOn(store);
    for (let past = 0; past < 5; past += 1, day += DAY) {
      await aSchoolDay(USUAL);
      await deliver(store, day + DAY);
    }
  });
  afterAll(() => store.close());

  it.each(ATTACKS)('on %s is stopped within 20 SMS', async (_what, numbers, everyMs) => {
    await aSchoolDay(150);
    const start = day + 21 * HOUR;
    let sent = 0;
    const asked = everyMs > SECOND ? DAY / everyMs : 1000;
    for (let at = 0; at < asked; at += 1) {
      const decision = await ask(numbers(random, at), start + at * everyMs);
      if (decision.kind === 'stored') sent += 1;
    }
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(MOST);
    day += 3 * DAY;
    await deliver(store, day);
  });

  it('on countries that are new here is stopped within 20 SMS on the first day of school, too', async () => {
    await aSchoolDay(FIRST_DAY);
    let sent = 0;
    for (let at = 0; at < 1000; at += 1) {
      const phone = `+${oneOf(random, ['592', '597', '670', '677', '679', '685'])}7${digits(random, 6)}`;
      if ((await ask(phone, day + 20 * HOUR + at * 5)).kind === 'stored') sent += 1;
    }
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(MOST);
    day += 2 * DAY;
    await deliver(store, day);
  });

  it('by one who is not known holds nothing of what known callers send', async () => {
    for (let at = 0; at < 50; at += 1) await ask(`+90555999${four(at)}`, day + 10 * HOUR + at);
    const phone = '+905559991234';
    const time = day + 10 * HOUR + SECOND;
    expect(await ask(phone, time)).toMatchObject({ kind: 'too-many', unusual: true });
    expect(await ask(phone, time, 'portal')).toMatchObject({ kind: 'stored' });
  });

  it('on a new installation is stopped within 20 SMS', async () => {
    const fresh = await openStore({ url: 'sqlite::memory:' });
    const askFresh = serviceOn(fresh);
    const decisions = [];
    for (let at = 0; at < 1000; at += 1) decisions.push(await askFresh(`+99290000${four(at)}`, START + at));
    await fresh.close();
    expect(decisions.filter(({ kind }) => kind === 'stored').length).toBeLessThanOrEqual(MOST);
  });
});

describe.each(ENGINES)('what is held on %s', (engine) => {
  const database = useDatabase(engine);

  it('is held in all processes, whichever of them counts, for twelve hours', async () => {
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
    expect(await stores[0].codeTraffic.heldSince(START)).toEqual([
      ...[{ area: 'n:TJ:90000', caller: '', heldFrom: START, heldUntil: START + HOLD_MS, codes: 12 }],
    ]);
    expect(await here('+992900009999', START + HOLD_MS)).toMatchObject({ kind: 'stored' });
    // At home everything goes on.
    expect(await here('+905551112233', START)).toMatchObject({ kind: 'stored' });
  });

  it('is forgotten, and what is counted by day, when it tells nothing any more', async () => {
    const store = await database.open();
    const ask = serviceOn(store);
    for (let at = 0; at < 15; at += 1) await ask(`+99290000${four(at)}`, START);
    await ask('+905551112233', START);
    await deliver(store, START + DAY);
    const today = START / DAY;
    const past = async () =>
      (await store.codeTraffic.past(today, 0)).toSorted((one, other) => (one.area < other.area ? -1 : 1));
    expect(await past()).toEqual([
      { caller: '', area: 'TJ', codes: 12 },
      { caller: '', area: 'TJ:90000', codes: 12 },
      { caller: '', area: 'TR', codes: 1 },
      { caller: '', area: 'TR:555111', codes: 1 },
    ]);
    // Counted by day, and no longer by themselves.
    expect(await store.codeTraffic.byCaller({ from: 'a', to: 'z' }, 0)).toEqual(new Map());
    await eraseExpired(store, 0, START + 16 * DAY);
    expect(await past()).toMatchObject([{ area: 'TJ' }, { area: 'TR' }]);
    expect(await store.codeTraffic.heldSince(0)).toEqual([]);
    await eraseExpired(store, 0, START + 402 * DAY);
    expect(await past()).toEqual([]);
  });
});

describe('the guard', () => {
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
    const { acceptCode } = createDelivery({
      ...{ store, registry, logger: pino({ level: 'warn' }, log), announce: () => undefined },
      config: loadConfig({ DATA_DIR: database.folder, ROLE: 'web', DEFAULT_COUNTRY: 'TR', ...settings }),
    });
    const ask = async (phone: string, at = 0) => {
      const createdAt = START + at;
      return acceptCode({ code: String(at), phone, createdAt, expiresAt: createdAt + MINUTE });
    };
    return { store, lines, registry, ask };
  }

  it('only says so where it records: once in the log, of each code in the metrics', async () => {
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
        msg: 'more codes than usual go there: PUMPING_GUARD=enforce would send none there for now',
      }),
    ]);
    expect(await registry.metrics()).toContain(
      'delivery_unusual_codes_total{level="range",refused="false"} 29',
    );
  });

  it('refuses where it is to, and says nothing where it is off', async () => {
    const enforced = await delivery({ PUMPING_GUARD: 'enforce' });
    for (let at = 0; at < 12; at += 1) await enforced.ask(`+90555123${four(at)}`, at);
    expect(await enforced.ask('+905551239999', 20)).toMatchObject({ kind: 'too-many' });
    expect(enforced.lines).toMatchObject([{ area: 'TR 555123' }]);
    expect(await enforced.registry.metrics()).toContain(
      'delivery_unusual_codes_total{level="range",refused="true"} 1',
    );

    const off = await delivery({ PUMPING_GUARD: 'off' });
    for (let at = 0; at < 30; at += 1)
      expect(await off.ask(`+90555124${four(at)}`, at)).not.toHaveProperty('unusual');
    expect(off.lines).toEqual([]);
  });

  it('is not enforced where nothing says where the families are', async () => {
    await expect(delivery({ PUMPING_GUARD: 'enforce', DEFAULT_COUNTRY: '' })).rejects.toThrow(
      'PUMPING_GUARD=enforce needs DEFAULT_COUNTRY or ALLOWED_COUNTRIES',
    );
    await expect(
      delivery({ PUMPING_GUARD: 'enforce', DEFAULT_COUNTRY: '', ALLOWED_COUNTRIES: 'TR,DE' }),
    ).resolves.toBeDefined();
  });

  it('learns where the families are where no setting says so', async () => {
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
  ])('sends no code to the number of %s, unless told otherwise', async (_what, phone) => {
    expect(parsePhoneNumberFromString(phone)?.isPossible()).toBe(true);
    expect(await (await delivery({})).ask(phone)).toEqual({ kind: 'dear-number' });
    expect(await (await delivery({ PREMIUM_NUMBERS: 'allow' })).ask(phone)).toMatchObject({ kind: 'stored' });
  });

  it.each(['+905551112233', '+4915112345678', '+12125551234', '+96394412345', '05551112233'])(
    'takes %s for a number of a family',
    (phone) => {
      expect(areaOf(phone).isDear).toBe(false);
    },
  );
});
