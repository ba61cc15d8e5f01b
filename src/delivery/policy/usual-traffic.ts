import type { CountryCode } from 'libphonenumber-js/max';

import type { PastTraffic, Store } from '../../store';
import { DAY_MS } from './code-limits';
import { isOfCountries, type NumberArea } from './number-area';

/** Days that say what is usual. */
export const USUAL_DAYS = 14;
/** A country to which so large a part of all codes goes is where the families are, if no setting says where. */
const HOME_PART = 0.1;
/** What is known of today is looked up again when it is older, in milliseconds. */
const FRESH_MS = 60_000;
/** What was counted by day, over 14 days: each look reads all of it. */
const PAST_FRESH_MS = 60 * 60_000;

/** The areas where the families are, by their marks; see `markOf`. */
const HOME = { from: 'h:', to: 'h;' };

/** What was counted by day. */
interface Past {
  readonly at: number;
  /** Codes of the last 14 days, by caller and area; of countries also those to which none went since. */
  readonly codes: ReadonlyMap<string, number>;
  readonly homes: ReadonlySet<string>;
  /** Whether there is a past at all. */
  readonly isNew: boolean;
  /** Codes of the last 14 days to all countries abroad together, by caller. */
  readonly abroad: ReadonlyMap<string, number>;
}

/** What was usual until now, for one caller after the other. */
interface Known {
  readonly at: number;
  readonly past: Past;
  /** By caller. */
  readonly homeToday: ReadonlyMap<string, number>;
}

/** `h`: where the families are; `s`: a country abroad to which codes went before; `n`: one to which none went. */
type AreaMark = 'h' | 's' | 'n';

/** What is usual where, by what the store has counted; looked up once a minute, and that of other days once an hour. */
export class UsualTraffic {
  readonly #store: Pick<Store, 'codeTraffic'>;
  readonly #homes: readonly CountryCode[];
  readonly #leastOfRange: number;
  #known: Known | undefined;
  #looking: Promise<Known> | undefined;

  /**
   * @param homes - where the families are, as the operator says; none: it is told by where most codes go
   * @param leastOfRange - codes of a range in 14 days that matter
   */
  constructor(store: Pick<Store, 'codeTraffic'>, homes: readonly CountryCode[], leastOfRange: number) {
    this.#store = store;
    this.#homes = homes;
    this.#leastOfRange = leastOfRange;
  }

  /** What is known at a moment, in milliseconds since 1970 UTC. */
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

  async #look(now: number): Promise<Known> {
    const past = this.#known?.past;
    return {
      at: now,
      past: past !== undefined && isFresh(past, now, PAST_FRESH_MS) ? past : await this.#lookBack(now),
      homeToday: await this.#store.codeTraffic.byCaller(HOME, now - DAY_MS),
    };
  }

  async #lookBack(now: number): Promise<Past> {
    const sinceDay = Math.floor(now / DAY_MS) - USUAL_DAYS;
    const rows = await this.#store.codeTraffic.past(sinceDay, this.#leastOfRange);
    const countries = rows.filter(({ area }) => !area.includes(':'));
    const homes = this.#homes.length > 0 ? new Set<string>(this.#homes) : homesOf(countries);
    const abroad = new Map<string, number>();
    for (const { caller, area, codes } of countries)
      if (!homes.has(area)) abroad.set(caller, (abroad.get(caller) ?? 0) + codes);
    return {
      at: now,
      codes: new Map(rows.map(({ caller, area, codes }) => [keyOf(caller, area), codes])),
      homes,
      isNew: countries.length === 0,
      abroad,
    };
  }
}

/** What is usual for callers, at one moment. */
export class CallersTraffic {
  readonly #known: Known;
  readonly #homes: readonly CountryCode[];

  constructor(known: Known, homes: readonly CountryCode[]) {
    this.#known = known;
    this.#homes = homes;
  }

  markOf(caller: string, area: NumberArea): AreaMark {
    if (area.country === '') return 'h'; // As it is dialled where the gateway is.
    const { homes, isNew, codes } = this.#known.past;
    const isHome =
      this.#homes.length > 0 ? isOfCountries(area, this.#homes) : isNew || homes.has(area.country);
    if (isHome) return 'h';
    return codes.has(keyOf(caller, area.country)) ? 's' : 'n';
  }

  /** Codes of a usual day: the average of 14, those without any among them. */
  ofDay(caller: string, area: string): number {
    return (this.#known.past.codes.get(keyOf(caller, area)) ?? 0) / USUAL_DAYS;
  }

  /** The same for all countries abroad together. */
  abroadOfDay(caller: string): number {
    return (this.#known.past.abroad.get(caller) ?? 0) / USUAL_DAYS;
  }

  /** Codes of a caller in the last 24 hours to where the families are. */
  homeToday(caller: string): number {
    return this.#known.homeToday.get(caller) ?? 0;
  }
}

/** Also where the clock was put back. */
function isFresh({ at }: { readonly at: number }, now: number, freshMs: number): boolean {
  return Math.abs(now - at) <= freshMs;
}

function homesOf(countries: readonly PastTraffic[]): ReadonlySet<string> {
  const all = countries.reduce((sum, { codes }) => sum + codes, 0);
  const byCountry = new Map<string, number>();
  for (const { area, codes } of countries) byCountry.set(area, (byCountry.get(area) ?? 0) + codes);
  return new Set([...byCountry].filter(([, codes]) => codes >= all * HOME_PART).map(([country]) => country));
}

function keyOf(caller: string, area: string): string {
  return `${caller}\n${area}`;
}
