// SMS pumping: attackers earn with each SMS to numbers of their own.

import { openStore, type Store } from '../../../src/store';
import { DAY, deliver, four, HOUR, MINUTE, SECOND, serviceOn, START } from './guarded-service';
import { Random } from '../../harness/random';

const MOST = 20;
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

/** Returns what families ask for on a day. */
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
  it('of three weeks, with a first day of school, is never refused', async () => {
    const random = new Random(1);
    const store = await openStore({ url: 'sqlite::memory:' });
    const ask = serviceOn(store);
    const all = families(random, 600);
    const refused: unknown[] = [];
    let stored = 0;
    for (let day = 0; day < 21; day += 1) {
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
    expect(stored).toBeGreaterThan(2000);
  }, 120_000);
});

/** Numbers of an attack, the next one each time. */
type Numbers = (random: Random, at: number) => string;

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

  it('on countries that are new to the service is stopped within 20 SMS even on the first day of school', async () => {
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

  it('by an unknown caller does not block codes of known callers', async () => {
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
