export class TimeText {
  readonly #clock: Intl.DateTimeFormat;
  readonly #isoClock: Intl.DateTimeFormat;
  readonly zone: string;

  /**
   * @param zone - IANA name, such as Europe/Istanbul
   * @param locale - of dates; default: as in ISO 8601, which is how Swedish ones are written
   */
  constructor(zone: string, locale = 'sv-SE') {
    this.zone = zone;
    const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' } as const;
    this.#isoClock = new Intl.DateTimeFormat('sv-SE', options);
    this.#clock = locale === 'sv-SE' ? this.#isoClock : new Intl.DateTimeFormat(locale, options);
  }

  /**
   * Returns, for example, 2026-11-23 04:05:06, or 23.11.2026 04:05:06 as some languages write it.
   *
   * @param time - milliseconds since 1970 UTC
   */
  of(time: number): string {
    return this.#clock.format(time);
  }

  /** Returns the time of day of a moment on the day of another one, else its date too. */
  near(time: number, other: number): string {
    const text = this.of(time);
    const [date, clock = ''] = text.split(' ');
    return date === this.of(other).split(' ')[0] ? clock : text;
  }

  /** Like `near`, without seconds. */
  minuteOf(time: number, other: number): string {
    return this.near(time, other).slice(0, -':00'.length);
  }

  /** Returns the local time like 2026-11-23T04:05:06 in every language. */
  localIso(time: number): string {
    return this.#isoClock.format(time).replace(' ', 'T');
  }

  /**
   * Returns the moment of a local date and time such as 2026-11-23T04:05, in milliseconds since 1970 UTC; NaN
   * for any other text. A time that the clocks skip is moved by the hour that they skip.
   */
  momentOf(local: string): number {
    const wanted = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
    if (Number.isNaN(wanted)) return wanted;
    const shiftAt = (time: number): number => Date.parse(`${this.localIso(time)}Z`) - time;
    return wanted - shiftAt(wanted - shiftAt(wanted));
  }
}
