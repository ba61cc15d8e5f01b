import { DateTime, type Zone } from '../contract/date-time';
import { ValueError } from './value-error';

const MS_PER_MINUTE = 60_000;
const MIN = DateTime.MIN.wallTime;
/** The last millisecond of the year 9999. */
const MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const LAST_TICKS = 9999;
const TOO_LATE =
  'The added or subtracted value results in an un-representable DateTime.\r\nParameter name: value';

/** Clock and time zone of the serving machine, by which .NET completes missing parts of a text. */
export interface LocalClock {
  /** Milliseconds since 1970, in universal time. */
  now(): number;
  /** Minutes by which local time is ahead of universal time at an instant. */
  offsetAt(moment: number): number;
}

/** @param timeZone IANA name; the process's own if omitted */
export function localClock(timeZone?: string, now: () => number = Date.now): LocalClock {
  if (timeZone === undefined) return { now, offsetAt: (moment) => -new Date(moment).getTimezoneOffset() };
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return {
    now,
    offsetAt: (moment) => {
      const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      const [, sign, hours, minutes = '0', seconds = '0'] =
        /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
      if (sign === undefined) return 0;
      const size = Number(hours) * 60 + Math.round(Number(minutes) + Number(seconds) / 60);
      return sign === '-' ? -size : size;
    },
  };
}

/** Returns the current local wall clock time. */
export function localNow(clock: LocalClock): number {
  const now = clock.now();
  return now + clock.offsetAt(now) * MS_PER_MINUTE;
}

/** Converts a wall clock time from another zone to local time; undefined beyond .NET's years. */
export function toLocal(
  wallTime: number,
  ticks: number,
  offset: number,
  clock: LocalClock,
): DateTime | undefined {
  const moment = wallTime - offset * MS_PER_MINUTE;
  if (moment < MIN || moment > MAX) return undefined;
  const zone = clock.offsetAt(moment);
  const local = moment + zone * MS_PER_MINUTE;
  return local < MIN || local > MAX ? undefined : new DateTime(local, ticks, zone);
}

/** Converts like {@link toLocal}, but returns .NET's first or last instant beyond its years. */
export function toLocalWithin(wallTime: number, ticks: number, offset: number, clock: LocalClock): DateTime {
  const within = toLocal(wallTime, ticks, offset, clock);
  if (within !== undefined) return within;
  const isEarly = wallTime < 0;
  const bound = isEarly ? MIN : MAX;
  return new DateTime(bound, isEarly ? 0 : LAST_TICKS, clock.offsetAt(bound));
}

/**
 * Returns a wall clock time with a fraction of any length, rounded half to even to ten-millionths of a
 * second.
 *
 * @param midnight midnight of the day, as {@link DateTime.wallTime}
 * @throws ValueError if rounding goes beyond .NET's years
 */
export function timeOfDay(
  midnight: number,
  [hour, minute, second]: readonly [number, number, number],
  fraction: string,
  zone?: Zone,
): DateTime {
  const seconds = midnight + ((hour * 60 + minute) * 60 + second) * 1000;
  if (fraction === '') return new DateTime(seconds, 0, zone);
  const kept = Number(fraction.slice(0, 7).padEnd(7, '0'));
  const rest = fraction.slice(7);
  const isHalf = /^50*$/.test(rest);
  const up = isHalf ? kept % 2 === 1 : rest >= '5';
  const all = kept + (up ? 1 : 0);
  const ms = Math.floor(all / 10_000);
  const wallTime = seconds + ms;
  if (wallTime > MAX) throw new ValueError(TOO_LATE);
  return new DateTime(wallTime, all % 10_000, zone);
}
