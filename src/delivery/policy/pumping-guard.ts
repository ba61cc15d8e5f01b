import type { CountryCode } from 'libphonenumber-js/max';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';

import type { AreaCount, AreaSpan, HeldArea, Store, Transaction } from '../../store';
import { DAY_MS } from './code-limits';
import type { NumberArea } from './number-area';
import { type CallersTraffic, USUAL_DAYS, UsualTraffic } from './usual-traffic';

/** Tells the operator, in log and metrics, where too many codes go. */
export class GuardReport {
  readonly #logger: Logger;
  readonly #codes: Counter<'level' | 'refused'>;
  readonly #enforces: boolean;

  constructor(logger: Logger, registry: Registry, enforces: boolean) {
    this.#logger = logger;
    this.#enforces = enforces;
    this.#codes = new Counter({
      name: 'delivery_unusual_codes_total',
      help: 'Codes to areas with unusual traffic, by kind of area (range, country, new countries, abroad) and whether they were refused.',
      labelNames: ['level', 'refused'],
      registers: [registry],
    });
    // Prometheus sees no growth of what was not there before.
    for (const level of GUARD_LEVELS) this.#codes.inc({ level, refused: String(enforces) }, 0);
  }

  /** One line when something begins to be held, and a count of each code. */
  readonly tell = ({ level, area, codes, heldUntil, begins }: Holding, caller: string): void => {
    this.#codes.inc({ level, refused: String(this.#enforces) });
    if (!begins) return;
    this.#logger.warn(
      {
        counted: level,
        ...(area !== '' && { area }),
        ...(caller !== '' && { caller }),
        codes,
        until: new Date(heldUntil).toISOString(),
      },
      this.#enforces
        ? 'unusual number of codes to this area, blocked for now'
        : 'unusual number of codes to this area; PUMPING_GUARD=enforce would block it',
    );
  };
}

/**
 * Publishes how much is held, in all processes together: to be called in one of them.
 *
 * @param readHeld - asked whenever the metrics are read
 */
export function countHeldAreas(registry: Registry, readHeld: () => Promise<readonly HeldArea[]>): void {
  const held = new Gauge({
    name: 'delivery_held_areas',
    help: 'Number ranges, countries and groups of them with an unusual number of codes in the last 12 hours.',
    registers: [registry],
    collect: async () => {
      const areas = await readHeld().catch(() => undefined);
      held.set(areas?.length ?? Number.NaN);
    },
  });
}

/** As many codes a day, and in an hour, are never too many; the first is not less than the second. */
const FLOOR_DAY = 20;
const FLOOR_HOUR = 12;
/** So many times what is usual is too many. */
const FACTOR = 3;
/**
 * Such a part of today's codes at home is not too many for one range there or one country abroad: when school starts,
 * it starts for all.
 */
const PART_OF_HOME = 0.04;
/** The same for all that goes abroad. */
const PART_ABROAD = 0.1;
/** No hour has more of the codes that go to one place on a day. */
const PART_OF_HOUR = 0.5;
/** Relatives in countries that are new here come one by one, also on the first day of school. */
const NEW_PART_IN_HOUR = 0.01;
const HOUR_MS = 3_600_000;
/** How long nothing is sent to where too many codes went. */
const HOLD_MS = 12 * HOUR_MS;

/** Ranges to which fewer codes went have no other limit than the floor. */
const LEAST_OF_RANGE = Math.ceil((FLOOR_DAY * USUAL_DAYS) / FACTOR);

/** What is counted together: a range of numbers, a country abroad, all countries that are new here, all abroad. */
const GUARD_LEVELS = ['range', 'country', 'new countries', 'abroad'] as const;
type GuardLevel = (typeof GUARD_LEVELS)[number];

interface Watched {
  readonly level: GuardLevel;
  readonly span: AreaSpan;
  /** At home, and in new countries, each telephone counts once: a family asks for many codes, and has few neighbours. */
  readonly counts: 'codes' | 'phones';
  readonly mostOfDay: number;
  readonly mostOfHour: number;
}

/** Something is held, from now on or since a while. */
export interface Holding {
  readonly level: GuardLevel;
  /** Country and first digits, as far as they are the same for all that is held. */
  readonly area: string;
  readonly heldUntil: number;
  /** What went there; of one that was held before it is not known. */
  readonly codes: number;
  /** Whether it was this code that was too many. */
  readonly begins: boolean;
}

/** What is looked at for one code. */
export interface Watch {
  /** What the code is stored with, to be counted for those that follow. */
  readonly area: string;
  /** What keeps others out who look at the same. */
  readonly locks: readonly string[];
  /** Looks, in the transaction that stores the code, and holds what has too many. */
  check(transaction: Transaction): Promise<Holding | undefined>;
}

/**
 * Notices when many codes are asked for that go where nobody lives: whoever does so earns with each SMS to numbers of
 * a range or a country. It counts by caller, so that nobody can have held what others send.
 */
export class PumpingGuard {
  readonly #usual: UsualTraffic;
  readonly enforces: boolean;

  /** @param homes - where the families are; none: the guard learns it */
  constructor(store: Pick<Store, 'codeTraffic'>, homes: readonly CountryCode[], enforces: boolean) {
    this.#usual = new UsualTraffic(store, homes, LEAST_OF_RANGE);
    this.enforces = enforces;
  }

  /**
   * Finds what a code is counted with. To be called before the transaction.
   *
   * @param caller - empty where it is not known
   * @param now - milliseconds since 1970 UTC
   */
  async watch(number: NumberArea, caller: string, now: number): Promise<Watch> {
    const traffic = await this.#usual.at(now);
    const mark = traffic.markOf(caller, number);
    const area = `${mark}:${number.country}:${number.range}`;
    const watched =
      mark === 'h' ? [homeRange(traffic, caller, number, area)] : abroad(traffic, caller, number, area);
    return {
      area,
      locks: this.enforces ? watched.map(({ span }) => `area ${caller} ${span.from}`) : [],
      check: (transaction) => check(transaction, watched, caller, now),
    };
  }
}

function homeRange(traffic: CallersTraffic, caller: string, number: NumberArea, area: string): Watched {
  return {
    level: 'range',
    span: { from: area, to: `${area}!` },
    counts: 'phones',
    ...mostOf(usualOf(traffic, caller, number), traffic.homeToday(caller)),
  };
}

/** The widest first: where more than one is held, that one is told. */
function abroad(
  traffic: CallersTraffic,
  caller: string,
  number: NumberArea,
  area: string,
): readonly Watched[] {
  const homeToday = traffic.homeToday(caller);
  const { country } = number;
  const isNew = area.startsWith('n');
  const counts = 'codes';
  const mostAbroad = Math.max(FLOOR_DAY, FACTOR * traffic.abroadOfDay(caller), PART_ABROAD * homeToday);
  return [
    {
      level: 'abroad',
      counts,
      span: { from: 'n', to: 't' }, // Both marks, which have no other between them.
      mostOfDay: mostAbroad,
      mostOfHour: mostAbroad,
    },
    isNew
      ? {
          level: 'new countries',
          counts: 'phones',
          span: { from: 'n:', to: 'n;' },
          mostOfDay: mostAbroad,
          mostOfHour: Math.max(FLOOR_DAY, NEW_PART_IN_HOUR * homeToday),
        }
      : {
          level: 'country',
          counts,
          span: { from: `s:${country}:`, to: `s:${country};` },
          ...mostOf(traffic.ofDay(caller, country), homeToday),
        },
    {
      level: 'range',
      counts,
      span: { from: area, to: `${area}!` },
      ...mostOf(usualOf(traffic, caller, number), 0),
    },
  ];
}

function usualOf(traffic: CallersTraffic, caller: string, { country, range }: NumberArea): number {
  return traffic.ofDay(caller, `${country}:${range}`);
}

function mostOf(usual: number, homeToday: number): Pick<Watched, 'mostOfDay' | 'mostOfHour'> {
  const mostOfDay = Math.max(FLOOR_DAY, FACTOR * usual, PART_OF_HOME * homeToday);
  return { mostOfDay, mostOfHour: Math.max(FLOOR_HOUR, PART_OF_HOUR * mostOfDay) };
}

async function check(
  transaction: Transaction,
  watched: readonly Watched[],
  caller: string,
  now: number,
): Promise<Holding | undefined> {
  const spans = watched.map(({ span }) => span);
  const { codeTraffic } = transaction;
  const asked = { caller, dayAgo: now - DAY_MS, hourAgo: now - HOUR_MS, spans };
  const glances = await codeTraffic.glance(asked);
  for (const [at, { level, span }] of watched.entries()) {
    const heldUntil = glances[at]?.heldUntil ?? 0;
    // One that would last longer was made before the clock was put back.
    if (heldUntil > now && heldUntil <= now + HOLD_MS)
      return { level, area: shownArea(span.from), heldUntil, codes: 0, begins: false };
  }
  if (glances.every(({ codes }) => codes < FLOOR_HOUR)) return undefined;
  const counted = await codeTraffic.count(asked);
  for (const [at, { level, span, ...most }] of watched.entries()) {
    const count = counted[at];
    if (count === undefined || !isTooMany(count, most)) continue;
    const codes = count.ofDay.codes;
    const heldUntil = now + HOLD_MS;
    const begins = await codeTraffic.hold({ area: span.from, caller, heldFrom: now, heldUntil, codes });
    return { level, area: shownArea(span.from), heldUntil, codes, begins };
  }
  return undefined;
}

function isTooMany(
  { ofDay, ofHour }: AreaCount,
  { counts, mostOfDay, mostOfHour }: Pick<Watched, 'counts' | 'mostOfDay' | 'mostOfHour'>,
): boolean {
  return ofDay[counts] >= mostOfDay || ofHour[counts] >= mostOfHour;
}

/** `TR 555111` of `h:TR:555111`; empty for what is wider than a country. */
function shownArea(from: string): string {
  return from.split(':').slice(1).join(' ').trim();
}
