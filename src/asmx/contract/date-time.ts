const MS_PER_MINUTE = 60_000;
const TICKS_PER_MS = 10_000;
/** Length of 400 years, in milliseconds; every such era is equally long. */
const MS_PER_ERA = 146_097 * 86_400_000;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?(?:(Z)|([+-])(\d\d):(\d\d))?$/;

/** `Z` for universal time, minutes east of it for a local time, undefined if not given. */
export type Zone = 'Z' | number | undefined;

/**
 * .NET's DateTime: wall clock time to a ten-millionth of a second, and its zone if known. It survives a round
 * trip over the wire unchanged.
 */
export class DateTime {
  /**
   * @param wallTime wall clock time, in milliseconds since the wall clock showed the start of 1970
   * @param ticks ten-millionths of a second beyond `wallTime`, from 0 to 9,999
   */
  constructor(
    readonly wallTime: number,
    readonly ticks = 0,
    readonly zone?: Zone,
  ) {}

  /** .NET's default: the first instant of the year 1. */
  static readonly MIN = new DateTime(wallTimeOf(1, 1, 1));

  /** Creates the value of an instant, in universal time. */
  static utc(moment: Date): DateTime {
    return new DateTime(moment.getTime(), 0, 'Z');
  }

  /** Parses the form that {@link toString} writes. @throws RangeError for any other text */
  static parse(text: string): DateTime {
    const [, year, month, day, hour, minute, second, fraction = '', z, sign, hours, minutes] =
      SHAPE.exec(text) ?? [];
    const date = wallTimeOf(Number(year), Number(month), Number(day));
    const [h, m, s] = [Number(hour), Number(minute), Number(second)];
    if (!isDate(Number(year), Number(month), Number(day)) || h > 23 || m > 59 || s > 59)
      throw new RangeError(`Not a date and time such as 2026-11-22T08:30:00: ${text}`);
    const ticks = Number(fraction.padEnd(7, '0'));
    const east = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    const zone = z === 'Z' ? 'Z' : sign === undefined ? undefined : east;
    const ms = Math.floor(ticks / TICKS_PER_MS);
    return new DateTime(date + ((h * 60 + m) * 60 + s) * 1000 + ms, ticks % TICKS_PER_MS, zone);
  }

  /** Returns the instant; a time without a zone is taken as universal time. */
  toDate(): Date {
    return new Date(this.wallTime - (typeof this.zone === 'number' ? this.zone * MS_PER_MINUTE : 0));
  }

  /** Formats as `2026-11-22T08:30:00.1234567+03:00`, without trailing zeros in the fraction. */
  toString(): string {
    const shown = new Date(this.wallTime);
    const years = shown.getUTCFullYear();
    const year = two(Math.floor(years / 100)) + two(years % 100);
    const date = `${year}-${two(shown.getUTCMonth() + 1)}-${two(shown.getUTCDate())}`;
    const time = `${two(shown.getUTCHours())}:${two(shown.getUTCMinutes())}:${two(shown.getUTCSeconds())}`;
    const ticks = shown.getUTCMilliseconds() * TICKS_PER_MS + this.ticks;
    return `${date}T${time}${fractionText(ticks)}${zoneText(this.zone)}`;
  }
}

// Prepared texts are faster than padding: a record has a dozen of these numbers.
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

function two(number: number): string {
  return TWO_DIGITS[number] ?? '';
}

function fractionText(ticks: number): string {
  return ticks === 0 ? '' : `.${withoutZeros(String(ticks).padStart(7, '0'))}`;
}

export function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}

function zoneText(zone: Zone): string {
  if (zone === undefined || zone === 'Z') return zone ?? '';
  const minutes = Math.abs(zone);
  return `${zone < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

/** Returns true for a valid calendar date in the years 1 to 9999. */
export function isDate(year: number, month: number, day: number): boolean {
  if (!(year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1)) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (DAYS[month - 1] ?? 0) + (isLeapYear && month === 2 ? 1 : 0);
}

/** Returns midnight of a day, in milliseconds since midnight of 1 January 1970. */
export function wallTimeOf(year: number, month: number, day: number): number {
  // Date.UTC moves years below 100 into the twentieth century.
  return Date.UTC(year + 400, month - 1, day) - MS_PER_ERA;
}
