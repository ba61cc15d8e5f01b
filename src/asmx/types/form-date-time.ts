import { DateTime, isDate, wallTimeOf } from '../contract';
import { type DateWord, monthOf, readWords } from './date-words';
import { type LocalClock, localNow, timeOfDay, toLocal } from './local-clock';
import { ValueError } from './value-error';

const NOT_VALID = 'String was not recognized as a valid DateTime.';
const WRONG_DAY = 'String was not recognized as a valid DateTime because the day of week was incorrect.';
const NO_SUCH_TIME =
  'The DateTime represented by the string is not supported in calendar System.Globalization.GregorianCalendar.';
const OUT_OF_RANGE = 'The DateTime represented by the string is out of range.';
const WRONG_OFFSET = 'The time zone offset must be within plus or minus 14 hours.';

const MOST_OFFSET = 14 * 60;
const MS_PER_DAY = 86_400_000;
/** A Thursday: the first day of 1970. */
const FIRST_WEEKDAY = 4;
/** Years of two digits are those of this century up to 29. */
const LAST_SHORT_YEAR = 29;

type Day = readonly [year: number, month: number, day: number];

/**
 * Reads a date or a time as DateTime.Parse does with the invariant culture: `11/22/2026`, `2026-11-22 8:30 PM`, `Sun,
 * 22 Nov 2026 08:30:00 GMT` and their like. What leaves out the date is of today; a time in a zone becomes the local
 * time of the machine.
 *
 * @throws ValueError
 */
export function readFormDateTime(text: string, clock: LocalClock): DateTime {
  const { numbers, month, weekday, time, offset, isIso } = readWords(text);
  const today = localNow(clock);
  const isEmpty = numbers.length === 0 && month === undefined;
  if (isEmpty && time === undefined) throw new ValueError(NOT_VALID);
  const midnight = isEmpty ? Math.floor(today / MS_PER_DAY) * MS_PER_DAY : undefined;
  const day = midnight === undefined ? dayOf(numbers, month, new Date(today).getUTCFullYear()) : undefined;
  if (day !== undefined && !isDate(...day)) throw new ValueError(isIso ? NO_SUCH_TIME : NOT_VALID);
  const start = midnight ?? (day === undefined ? 0 : wallTimeOf(...day));
  if (weekday !== undefined && (Math.floor(start / MS_PER_DAY) + FIRST_WEEKDAY + 7e6) % 7 !== weekday)
    throw new ValueError(WRONG_DAY);
  const { wallTime, ticks } = withTime(start, time);
  if (offset === undefined) return new DateTime(wallTime, ticks);
  if (Math.abs(offset) > MOST_OFFSET) throw new ValueError(WRONG_OFFSET);
  const local = toLocal(wallTime, ticks, offset, clock);
  if (local === undefined) throw new ValueError(OUT_OF_RANGE);
  return local;
}

function withTime(midnight: number, time: ReturnType<typeof readWords>['time']): DateTime {
  if (time === undefined) return new DateTime(midnight);
  const { hour, minute, second, fraction, half } = time;
  if (hour > 23 || minute > 59 || second > 59) throw new ValueError(NO_SUCH_TIME);
  if (half === 'am' && hour > 12) throw new ValueError(NOT_VALID);
  const turned = half === undefined || hour > 12 ? hour : (hour % 12) + (half === 'pm' ? 12 : 0);
  return timeOfDay(midnight, [turned, minute, second], fraction);
}

/** Which of the numbers is the year, the month and the day. */
function dayOf(numbers: readonly string[], word: DateWord | undefined, thisYear: number): Day {
  const [first = '', second = '', third = ''] = numbers;
  if (word === undefined) {
    if (numbers.length === 3) {
      return isYear(first)
        ? [year(first), Number(second), Number(third)]
        : [year(third), Number(first), Number(second)];
    }
    if (numbers.length !== 2) throw new ValueError(NOT_VALID);
    if (isYear(first)) return [year(first), Number(second), 1];
    return isYear(second) ? [year(second), Number(first), 1] : [thisYear, Number(first), Number(second)];
  }
  const month = monthOf(word);
  if (numbers.length === 2) {
    return isYear(first) ? [year(first), month, Number(second)] : [year(second), month, Number(first)];
  }
  if (numbers.length !== 1) throw new ValueError(NOT_VALID);
  // `22 Nov` is a year and a month, `Nov 22` a day of this year.
  return isYear(first) || word.after === 1 ? [year(first), month, 1] : [thisYear, month, Number(first)];
}

function isYear(digits: string): boolean {
  return digits.length > 2;
}

function year(digits: string): number {
  const value = Number(digits);
  if (digits.length > 4) return 0;
  if (digits.length > 2) return value;
  return value + (value > LAST_SHORT_YEAR ? 1900 : 2000);
}
