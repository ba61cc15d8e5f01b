import { HOUR_MS } from './durations';

/** Maximum difference between a local clock and UTC, daylight saving included. */
const FURTHEST_MS = 26 * HOUR_MS;

/** Calendar of a time zone. Days are texts such as 2026-11-30, and sort by time. */
export class Calendar {
  readonly #timeZone: string;
  /** Made when it is first read: the first one of a process takes 12 ms. */
  #clock: Intl.DateTimeFormat | undefined;

  /** @param timeZone - IANA name, such as Europe/Istanbul */
  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** @param time - milliseconds since 1970 UTC */
  dayOf(time: number): string {
    this.#clock ??= new Intl.DateTimeFormat('en', {
      timeZone: this.#timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    const parts = new Map(this.#clock.formatToParts(time).map(({ type, value }) => [type, value]));
    return (['year', 'month', 'day'] as const).map((part) => parts.get(part) ?? '').join('-');
  }

  /**
   * Returns the start of a day, in milliseconds since 1970 UTC. It is found by reading the clock, which is
   * right whatever the daylight saving rules.
   */
  startOf(day: string): number {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    let [before, after] = [midnight - FURTHEST_MS, midnight + FURTHEST_MS];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.dayOf(middle) < day) before = middle;
      else after = middle;
    }
    return after;
  }
}

/** Returns the next day, in every time zone. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR_MS).toISOString().slice(0, 10);
}
