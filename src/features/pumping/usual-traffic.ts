import type { CountryCode } from 'libphonenumber-js/max';

import { DAY_MS } from '../../support/durations';
import { isOfCountries, type NumberArea } from '../../delivery';
import type { CodeTraffic, PastTraffic } from './code-traffic';

export const USUAL_DAYS = 14;
/**
 * A country with at least this share of all codes counts as home, unless a setting names the home countries.
 */
const HOME_PART = 0.1;
/** Lifetime of cached counts of today, in milliseconds. */
const FRESH_MS = 60_000;
/** Lifetime of cached daily counts, in milliseconds; reading them takes all of the 14 days. */
const PAST_FRESH_MS = 60 * 60_000;

/** Areas at home, by their marks; see `markOf`. */
const HOME = { from: 'h:', to: 'h;' };

/** Daily counts. */
interface Past {
  readonly at: number;
  /** Codes of the last 14 days, by caller and area; countries without codes since are included. */
  readonly codes: ReadonlyMap<string, number>;
  readonly homes: ReadonlySet<string>;
  /** True without any past traffic. */
  readonly isNew: boolean;
  /** Codes of the last 14 days to all countries abroad together, by caller. */
  readonly abroad: ReadonlyMap<string, number>;
}

interface KnownTraffic {
  readonly at: number;
  readonly past: Past;
  /** By caller. */
  readonly homeToday: ReadonlyMap<string, number>;
}

/** `h`: at home; `s`: a country abroad with earlier codes; `n`: one without. */
type AreaMark = 'h' | 's' | 'n';

/** Usual traffic by the store's counts; cached for a minute, and daily counts for an hour. */
export class UsualTraffic {
  readonly #traffic: Pick<CodeTraffic, 'past' | 'byCaller'>;
  readonly #homes: readonly CountryCode[];
  readonly #minOfRange: number;
  #known: KnownTraffic | undefined;
  #looking: Promise<KnownTraffic> | undefined;

  /**
   * @param homes - home countries of the settings; if empty, they are those with the most codes
   * @param minOfRange - minimum number of codes of a range in 14 days to be considered
   */
  constructor(
    traffic: Pick<CodeTraffic, 'past' | 'byCaller'>,
    homes: readonly CountryCode[],
    minOfRange: number,
  ) {
    this.#traffic = traffic;
    this.#homes = homes;
    this.#minOfRange = minOfRange;
  }

  /** Returns the traffic at a time in milliseconds since 1970 UTC. */
  async at(now: number): Promise<CallersTraffic> {
    let known = this.#known;
    if (known === undefined || !isFresh(known, now, FRESH_MS)) {
      this.#looking ??= this.#look(now).finally(() => {
        this.#looking = undefined;
      });
      known = this.#known = await this.#looking;
    }
    return new CallersTraffic(known, this.#homes);
  }

  async #look(now: number): Promise<KnownTraffic> {
    const past = this.#known?.past;
    return {
      at: now,
      past: past !== undefined && isFresh(past, now, PAST_FRESH_MS) ? past : await this.#lookBack(now),
      homeToday: await this.#traffic.byCaller(HOME, now - DAY_MS),
    };
  }

  async #lookBack(now: number): Promise<Past> {
    const sinceDay = Math.floor(now / DAY_MS) - USUAL_DAYS;
    const rows = await this.#traffic.past(sinceDay, this.#minOfRange);
    const countries = rows.filter(({ area }) => !area.includes(':'));
    const homes = this.#homes.length > 0 ? new Set<string>(this.#homes) : findHomes(countries);
    const abroad = new Map<string, number>();
    for (const { caller, area, codes } of countries)
      if (!homes.has(area)) abroad.set(caller, (abroad.get(caller) ?? 0) + codes);
    return {
      at: now,
      codes: new Map(rows.map(({ caller, area, codes }) => [makeKey(caller, area), codes])),
      homes,
      isNew: countries.length === 0,
      abroad,
    };
  }
}

export class CallersTraffic {
  readonly #known: KnownTraffic;
  readonly #homes: readonly CountryCode[];

  constructor(known: KnownTraffic, homes: readonly CountryCode[]) {
    this.#known = known;
    this.#homes = homes;
  }

  markOf(caller: string, area: NumberArea): AreaMark {
    if (area.country === '') return 'h'; // As it is dialled where the gateway is.
    const { homes, isNew, codes } = this.#known.past;
    const isHome =
      this.#homes.length > 0 ? isOfCountries(area, this.#homes) : isNew || homes.has(area.country);
    if (isHome) return 'h';
    return codes.has(makeKey(caller, area.country)) ? 's' : 'n';
  }

  /** Returns the number of codes of a usual day: the average of 14 days, including those without any. */
  ofDay(caller: string, area: string): number {
    return (this.#known.past.codes.get(makeKey(caller, area)) ?? 0) / USUAL_DAYS;
  }

  /** Returns the usual daily number for all countries abroad together. */
  abroadOfDay(caller: string): number {
    return (this.#known.past.abroad.get(caller) ?? 0) / USUAL_DAYS;
  }

  /** Returns the number of a caller's codes at home in the last 24 hours. */
  homeToday(caller: string): number {
    return this.#known.homeToday.get(caller) ?? 0;
  }
}

/** Returns false for a time in the future, too, in case the clock was set back. */
function isFresh({ at }: { readonly at: number }, now: number, freshMs: number): boolean {
  return Math.abs(now - at) <= freshMs;
}

function findHomes(countries: readonly PastTraffic[]): ReadonlySet<string> {
  const all = countries.reduce((sum, { codes }) => sum + codes, 0);
  const byCountry = new Map<string, number>();
  for (const { area, codes } of countries) byCountry.set(area, (byCountry.get(area) ?? 0) + codes);
  return new Set([...byCountry].filter(([, codes]) => codes >= all * HOME_PART).map(([country]) => country));
}

function makeKey(caller: string, area: string): string {
  return `${caller}\n${area}`;
}
