import { DateTime, isDate, wallTimeOf } from '../contract/date-time';
import { type LocalClock, localNow, timeOfDay, toLocal } from './local-clock';
import { ValueError } from './value-error';

const NOT_A_DATE = 'String was not recognized as a valid DateTime.';
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december'],
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const BRIEF = 3;

/** Building blocks of .NET's date texts. */
const TIME = /([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?)?(?:[ \t]*(am|pm)(?![a-z]))?/iy;
const HOUR = /([0-9]{1,2})[ \t]*(am|pm)(?![a-z])/iy;
const OFFSET = /([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?![0-9:])/y;
const UNIVERSAL = /(?:gmt|z)(?![a-z])/iy;
const NUMBER = /[0-9]+/y;
const WORD = /[a-z]+/iy;
const SPACE = /[\s\0]+/y;
const SEPARATOR = /[,/.-]/y;
/** ISO 8601 time after a date: two digits each, followed by nothing but an offset. */
const ISO_TIME =
  /t[ \t]*([0-9]{2})[ \t]*:[ \t]*([0-9]{2})(?![0-9])(?:[ \t]*:[ \t]*([0-9]{2})(?![0-9])(?:\.([0-9]+))?)?/iy;
const MAX_NUMBERS = 3;
/** Longer texts are invalid. */
const MAX_CHARACTERS = 1000;

/** A month by name, with the number of numbers before it. */
interface DateWord {
  readonly name: string;
  readonly after: number;
}

interface TimeWords {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fraction: string;
  readonly half: 'am' | 'pm' | undefined;
}

/** Parsed parts of a date text. */
interface DateWords {
  /** Numbers in order of appearance. */
  numbers: string[];
  month: DateWord | undefined;
  /** Day of the week; Sunday is 0. */
  weekday: number | undefined;
  time: TimeWords | undefined;
  /** Minutes ahead of universal time. */
  offset: number | undefined;
  /** True for a date and time in ISO 8601 form. */
  isIso: boolean;
}

/** Splits a text into its parts. @throws ValueError */
function readWords(text: string): DateWords {
  const words = new WordReader(text);
  if (text.length > MAX_CHARACTERS) throw new ValueError(NOT_A_DATE);
  return words.read();
}

class WordReader {
  readonly #text: string;
  readonly #words: DateWords = {
    numbers: [],
    month: undefined,
    weekday: undefined,
    time: undefined,
    offset: undefined,
    isIso: false,
  };
  #at = 0;
  /** True after a separator, until the part that must follow it. */
  #isParted = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): DateWords {
    while (this.#at < this.#text.length) {
      if (this.#take(SPACE) !== undefined) continue;
      if (this.#words.isIso) this.#readIsoEnd();
      else if (!(this.#readTime() || this.#readOffset() || this.#readNumber() || this.#readWord()))
        this.#readSeparator();
    }
    if (this.#isParted) throw new ValueError(NOT_A_DATE);
    return this.#words;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #readTime(): boolean {
    const iso = this.#isIsoDate ? this.#take(ISO_TIME) : undefined;
    const brief = iso === undefined ? this.#take(HOUR) : undefined;
    const found = iso ?? brief ?? this.#take(TIME);
    if (found === undefined) return false;
    const words = this.#words;
    if (words.time !== undefined) throw new ValueError(NOT_A_DATE);
    const [, hour, minute = '0', second = '0', fraction = ''] =
      brief === undefined ? found : found.slice(0, 2);
    const half = (brief === undefined ? found[5] : found[2])?.toLowerCase();
    words.isIso = iso !== undefined;
    words.time = {
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      fraction,
      half: half === 'am' || half === 'pm' ? half : undefined,
    };
    this.#isParted = false;
    return true;
  }

  /** True after three numbers of which the first can only be a year. */
  get #isIsoDate(): boolean {
    const { numbers } = this.#words;
    return numbers.length === MAX_NUMBERS && (numbers[0] ?? '').length > 2;
  }

  /** Reads an offset after a time, or after a complete date and a blank. */
  #readOffset(): boolean {
    const words = this.#words;
    const isDate = words.numbers.length + (words.month === undefined ? 0 : 1) === 3;
    if (words.offset !== undefined || (words.time === undefined && !isDate)) return false;
    if (this.#take(UNIVERSAL) !== undefined) {
      words.offset = 0;
      return true;
    }
    const found = this.#take(OFFSET);
    if (found === undefined) return false;
    const [, sign, hours, minutes = '0'] = found;
    const size = Number(hours) * 60 + Number(minutes);
    words.offset = sign === '-' ? -size : size;
    return true;
  }

  #readIsoEnd(): void {
    if (!this.#readOffset()) throw new ValueError(NOT_A_DATE);
  }

  #readNumber(): boolean {
    const found = this.#take(NUMBER);
    if (found === undefined) return false;
    this.#words.numbers.push(found[0]);
    this.#isParted = false;
    if (this.#words.numbers.length > MAX_NUMBERS) throw new ValueError(NOT_A_DATE);
    return true;
  }

  #readWord(): boolean {
    const start = this.#at;
    const name = this.#take(WORD)?.[0].toLowerCase();
    if (name === undefined) return false;
    const words = this.#words;
    // A time marker without a time after it.
    if (name === 't' && words.numbers.length === MAX_NUMBERS) throw new ValueError(NOT_A_DATE);
    const weekday = indexIn(WEEKDAYS, name);
    if (indexIn(MONTHS, name) >= 0 && words.month === undefined) {
      words.month = { name, after: words.numbers.length };
    } else if (weekday >= 0 && words.weekday === undefined) words.weekday = weekday;
    else {
      throw new ValueError(
        `The string was not recognized as a valid DateTime. There is an unknown word starting at index ${String(start)}.`,
      );
    }
    this.#isParted = false;
    return true;
  }

  #readSeparator(): void {
    if (this.#isParted || this.#at === 0 || this.#take(SEPARATOR) === undefined)
      throw new ValueError(NOT_A_DATE);
    this.#isParted = true;
  }
}

/** Returns the index of a name, whole or by its first three letters. */
function indexIn(names: readonly string[], name: string): number {
  return names.findIndex((known) => known === name || known.slice(0, BRIEF) === name);
}

const NOT_VALID = 'String was not recognized as a valid DateTime.';
const WRONG_DAY = 'String was not recognized as a valid DateTime because the day of week was incorrect.';
const NO_SUCH_TIME =
  'The DateTime represented by the string is not supported in calendar System.Globalization.GregorianCalendar.';
const OUT_OF_RANGE = 'The DateTime represented by the string is out of range.';
const WRONG_OFFSET = 'The time zone offset must be within plus or minus 14 hours.';

const MAX_OFFSET = 14 * 60;
const MS_PER_DAY = 86_400_000;
/** Day of the week of 1 January 1970, a Thursday. */
const FIRST_WEEKDAY = 4;
/** Two-digit years up to 29 belong to this century. */
const LAST_SHORT_YEAR = 29;

type Day = readonly [year: number, month: number, day: number];

/**
 * Reads a date or a time as DateTime.Parse does with the invariant culture: `11/22/2026`, `2026-11-22 8:30
 * PM`, `Sun, 22 Nov 2026 08:30:00 GMT` and similar forms. A text without a date means today; a time in a zone
 * becomes the local time of the machine.
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
  if (Math.abs(offset) > MAX_OFFSET) throw new ValueError(WRONG_OFFSET);
  const local = toLocal(wallTime, ticks, offset, clock);
  if (local === undefined) throw new ValueError(OUT_OF_RANGE);
  return local;
}

function withTime(midnight: number, time: ReturnType<typeof readWords>['time']): DateTime {
  if (time === undefined) return new DateTime(midnight);
  const { hour, minute, second, fraction, half } = time;
  if (hour > 23 || minute > 59 || second > 59) throw new ValueError(NO_SUCH_TIME);
  if (half === 'am' && hour > 12) throw new ValueError(NOT_VALID);
  const turned = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0);
  return timeOfDay(midnight, [turned, minute, second], fraction);
}

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
  const month = indexIn(MONTHS, word.name) + 1;
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
