import type { QuietHours } from '../../config';

/** When a school's messages may be sent, in milliseconds since 1970 UTC: now, or when its quiet hours end. */
export type NotBefore = (school: string, now: number) => number;

const MINUTE_MS = 60_000;
/** No quiet hours are longer, clock changes included. */
const LONGEST_MINUTES = 26 * 60;

/** Knows for each school when its quiet hours end. */
export class QuietHoursCalendar {
  readonly #clocks = new Map<string, Intl.DateTimeFormat>();
  /** The quiet time found last, by rule: thousands of messages of one school ask one after the other. */
  readonly #found = new Map<string, { readonly begin: number; readonly end: number }>();

  /**
   * When a message may be sent: now, or at the end of the quiet hours that are. Read off the local clock minute
   * by minute, which is right however the clock is changed in that night.
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
