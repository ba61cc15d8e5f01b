import type { CountryCode } from 'libphonenumber-js/max';

import type { CodeGuard, CodeWatch, NumberArea, UnusualDestination } from '../../delivery';
import type { Transaction } from '../../store';
import { DAY_MS, HOUR_MS } from '../../support/durations';
import { shownArea } from './area-text';
import { type AreaCount, type AreaSpan, CodeTraffic } from './code-traffic';
import { type CallersTraffic, USUAL_DAYS, UsualTraffic } from './usual-traffic';

/**
 * Numbers of codes per day and per hour that are always acceptable; the first is not less than the second.
 */
const FLOOR_DAY = 20;
const FLOOR_HOUR = 12;
/** Multiple of the usual number that is too many. */
const FACTOR = 3;
/**
 * Share of today's codes at home that is acceptable for one range there or one country abroad: the start of a
 * school year affects all of them.
 */
const PART_OF_HOME = 0.04;
/** Share of today's codes at home that is acceptable for all countries abroad. */
const PART_ABROAD = 0.1;
/** Maximum share of a day's codes to one destination in a single hour. */
const PART_OF_HOUR = 0.5;
/**
 * Maximum share in an hour for new countries: relatives abroad come one by one, even on the first day of
 * school.
 */
const NEW_PART_IN_HOUR = 0.01;
/** Duration of a block. */
const HOLD_MS = 12 * HOUR_MS;

/** Ranges with fewer codes are limited by the floor only. */
const MIN_OF_RANGE = Math.ceil((FLOOR_DAY * USUAL_DAYS) / FACTOR);

/** Groups that are counted: a range of numbers, a country abroad, all new countries, all countries abroad. */
export const GUARD_LEVELS = ['range', 'country', 'new countries', 'abroad'] as const;
type GuardLevel = (typeof GUARD_LEVELS)[number];

interface Watched {
  readonly level: GuardLevel;
  readonly span: AreaSpan;
  /**
   * At home, and in new countries, each phone counts once: a family requests many codes, and has few
   * neighbours.
   */
  readonly counts: 'codes' | 'phones';
  readonly maxOfDay: number;
  readonly maxOfHour: number;
}

type ReportBlock = (block: GuardBlock, caller: string) => void;

/** A block, new or existing. */
export interface GuardBlock {
  readonly level: GuardLevel;
  /** Country and first digits, common to the blocked span. */
  readonly area: string;
  readonly blockedUntil: number;
  /** Number of codes sent there; not known for an existing block. */
  readonly codes: number;
  /** True if this code caused the block. */
  readonly begins: boolean;
}

/**
 * Detects SMS pumping: many codes to destinations without families, whose caller earns with each SMS to a
 * range or a country. It counts by caller, so that no one can block another's messages.
 */
export class PumpingGuard implements CodeGuard {
  readonly #usual: UsualTraffic;
  readonly #enforces: boolean;
  readonly #report: ReportBlock;

  /**
   * @param homes - countries where the families live; if empty, the guard learns them
   * @param enforces - whether it refuses codes, or only reports them
   * @param report - called for each code to a destination with too many codes
   */
  constructor(
    traffic: Pick<CodeTraffic, 'past' | 'byCaller'>,
    homes: readonly CountryCode[],
    enforces: boolean,
    report: ReportBlock = () => undefined,
  ) {
    this.#usual = new UsualTraffic(traffic, homes, MIN_OF_RANGE);
    this.#enforces = enforces;
    this.#report = report;
  }

  async watch(number: NumberArea, caller: string, now: number): Promise<CodeWatch> {
    const traffic = await this.#usual.at(now);
    const mark = traffic.markOf(caller, number);
    const area = `${mark}:${number.country}:${number.range}`;
    const watched =
      mark === 'h' ? [homeRange(traffic, caller, number, area)] : abroad(traffic, caller, number, area);
    return {
      area,
      locks: this.#enforces ? watched.map(({ span }) => `area ${caller} ${span.from}`) : [],
      check: async (transaction) => {
        const block = await check(transaction, watched, caller, now);
        return block && this.#unusual(block, caller);
      },
    };
  }

  #unusual(block: GuardBlock, caller: string): UnusualDestination {
    return {
      refusedUntil: this.#enforces ? block.blockedUntil : undefined,
      report: () => {
        this.#report(block, caller);
      },
    };
  }
}

function homeRange(traffic: CallersTraffic, caller: string, number: NumberArea, area: string): Watched {
  return {
    level: 'range',
    span: { from: area, to: `${area}!` },
    counts: 'phones',
    ...limitsFor(usualCodes(traffic, caller, number), traffic.homeToday(caller)),
  };
}

/** Widest first: if several are blocked, the widest is reported. */
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
  const maxAbroad = Math.max(FLOOR_DAY, FACTOR * traffic.abroadOfDay(caller), PART_ABROAD * homeToday);
  return [
    {
      level: 'abroad',
      counts,
      span: { from: 'n', to: 't' }, // Both marks, which have no other between them.
      maxOfDay: maxAbroad,
      maxOfHour: maxAbroad,
    },
    isNew
      ? {
          level: 'new countries',
          counts: 'phones',
          span: { from: 'n:', to: 'n;' },
          maxOfDay: maxAbroad,
          maxOfHour: Math.max(FLOOR_DAY, NEW_PART_IN_HOUR * homeToday),
        }
      : {
          level: 'country',
          counts,
          span: { from: `s:${country}:`, to: `s:${country};` },
          ...limitsFor(traffic.ofDay(caller, country), homeToday),
        },
    {
      level: 'range',
      counts,
      span: { from: area, to: `${area}!` },
      ...limitsFor(usualCodes(traffic, caller, number), 0),
    },
  ];
}

function usualCodes(traffic: CallersTraffic, caller: string, { country, range }: NumberArea): number {
  return traffic.ofDay(caller, `${country}:${range}`);
}

function limitsFor(usual: number, homeToday: number): Pick<Watched, 'maxOfDay' | 'maxOfHour'> {
  const maxOfDay = Math.max(FLOOR_DAY, FACTOR * usual, PART_OF_HOME * homeToday);
  return { maxOfDay, maxOfHour: Math.max(FLOOR_HOUR, PART_OF_HOUR * maxOfDay) };
}

async function check(
  transaction: Transaction,
  watched: readonly Watched[],
  caller: string,
  now: number,
): Promise<GuardBlock | undefined> {
  const spans = watched.map(({ span }) => span);
  const codeTraffic = transaction.repository(CodeTraffic);
  const asked = { caller, dayAgo: now - DAY_MS, hourAgo: now - HOUR_MS, spans };
  const glances = await codeTraffic.glance(asked);
  for (const [at, { level, span }] of watched.entries()) {
    const blockedUntil = glances[at]?.blockedUntil ?? 0;
    // A longer one was created before the clock was set back.
    if (blockedUntil > now && blockedUntil <= now + HOLD_MS)
      return { level, area: shownArea(span.from), blockedUntil, codes: 0, begins: false };
  }
  if (glances.every(({ codes }) => codes < FLOOR_HOUR)) return undefined;
  const counted = await codeTraffic.count(asked);
  for (const [at, { level, span, ...most }] of watched.entries()) {
    const count = counted[at];
    if (count === undefined || !isTooMany(count, most)) continue;
    const codes = count.ofDay.codes;
    const blockedUntil = now + HOLD_MS;
    const begins = await codeTraffic.block({
      area: span.from,
      caller,
      blockedFrom: now,
      blockedUntil,
      codes,
    });
    return { level, area: shownArea(span.from), blockedUntil, codes, begins };
  }
  return undefined;
}

function isTooMany(
  { ofDay, ofHour }: AreaCount,
  { counts, maxOfDay, maxOfHour }: Pick<Watched, 'counts' | 'maxOfDay' | 'maxOfHour'>,
): boolean {
  return ofDay[counts] >= maxOfDay || ofHour[counts] >= maxOfHour;
}
