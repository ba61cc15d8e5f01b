import { MINUTE_MS } from '../../support/durations';
import type { Feature } from '../feature';
import type { QuietHours } from './settings';

/** Returns the earliest times for the messages of schools: now, or the end of their quiet hours. */
export const notBefore: Required<Feature>['openHours'] = ({ TIME_ZONE, QUIET_HOURS }, { schools }) => {
  const calendar = new QuietHoursCalendar();
  return (school, now) => {
    const { timeZone = TIME_ZONE, quietHours = QUIET_HOURS } = schools[school] ?? {};
    return quietHours === 'off' ? now : calendar.notBefore(quietHours, timeZone, now);
  };
};

/** Maximum length of quiet hours, clock changes included. */
const LONGEST_MINUTES = 26 * 60;

export class QuietHoursCalendar {
  readonly #clocks = new Map<string, Intl.DateTimeFormat>();
  /** Last computed quiet time, by rule: thousands of messages of one school query it in a row. */
  readonly #found = new Map<string, { readonly begin: number; readonly end: number }>();

  /**
   * Returns the earliest time for a message: now, or the end of the current quiet hours. It is found by
   * reading the local clock minute by minute, which is right whatever the clock changes of that night.
   *
   * @param timeZone - IANA name, such as Europe/Istanbul
   * @param now - milliseconds since 1970 UTC
   */
  notBefore(quiet: QuietHours, timeZone: string, now: number): number {
    const rule = `${String(quiet.from)}-${String(quiet.until)} ${timeZone}`;
    const found = this.#found.get(rule);
    if (found !== undefined && now >= found.begin && now < found.end) return found.end;
    if (!this.#isQuiet(quiet, timeZone, now)) return now;

    let end = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    for (let minute = 0; minute < LONGEST_MINUTES && this.#isQuiet(quiet, timeZone, end); minute += 1)
      end += MINUTE_MS;
    this.#found.set(rule, { begin: now, end });
    return end;
  }

  #isQuiet({ from, until }: QuietHours, timeZone: string, time: number): boolean {
    const minute = this.#localMinute(timeZone, time);
    return from <= until ? minute >= from && minute < until : minute >= from || minute < until;
  }

  #localMinute(timeZone: string, time: number): number {
    let clock = this.#clocks.get(timeZone);
    if (clock === undefined) {
      clock = new Intl.DateTimeFormat('en', {
        timeZone,
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      });
      this.#clocks.set(timeZone, clock);
    }
    const [hours = 0, minutes = 0] = clock.format(time).split(':').map(Number);
    return hours * 60 + minutes;
  }
}
