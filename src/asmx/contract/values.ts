/**
 * A value of a contract's types: number for `int`, `short`, `unsignedByte`, `double` and `float`, bigint for `long`,
 * the digits of a `decimal`, the character of a `char`, the name of an enumeration, 36 characters for a `guid`, bytes
 * for `base64Binary`; an object for a record, an array for a list.
 */
export type Value =
  null | string | number | bigint | boolean | DateTime | Uint8Array | RecordValue | readonly Value[];

/** A record, by the contract's names of its attributes and elements; what is null may be left out. */
export interface RecordValue {
  readonly [name: string]: Value | undefined;
}

/**
 * Arguments by the contract's parameter names. What the request did not carry is null, or of a type that cannot be
 * null its default.
 */
export type OperationArguments = Readonly<Record<string, Value>>;

/** The types that have a name and no parts: those of XML Schema, and Microsoft's `guid` and `char`. */
export const PLAIN_NAMES = [
  'string',
  'char',
  'int',
  'long',
  'short',
  'unsignedByte',
  'boolean',
  'decimal',
  'double',
  'float',
  'dateTime',
  'guid',
  'base64Binary',
] as const;

export type PlainName = (typeof PLAIN_NAMES)[number];

/** What a parameter, a result, or a part of one is. The name is the root element over HTTP GET and POST. */
export type ValueType = PlainType | EnumerationType | RecordType | ListType;

export interface PlainType {
  readonly kind: 'plain';
  readonly name: PlainName;
}

/** .NET's enum: one of some names. */
export interface EnumerationType {
  readonly kind: 'enumeration';
  readonly name: string;
  /** In the order of the document; the first is the default. */
  readonly values: readonly [string, ...string[]];
}

/** A class or a struct; no type holds itself, however deep. */
export interface RecordType {
  readonly kind: 'record';
  readonly name: string;
  readonly attributes: readonly AttributeContract[];
  readonly elements: readonly ElementContract[];
}

/** An array: an element that holds its items. */
export interface ListType {
  readonly kind: 'list';
  readonly name: string;
  readonly item: ElementContract;
}

export interface AttributeContract {
  readonly name: string;
  readonly type: PlainType | EnumerationType;
  /** It may be left out, and is where its value is null. */
  readonly optional: boolean;
}

export interface ElementContract {
  readonly name: string;
  readonly type: ValueType;
  /** It may be left out, and is where its value is null and it is not nillable. */
  readonly optional: boolean;
  /** Null is written as `xsi:nil`. Of .NET's value types it makes one that can be null (`int?`). */
  readonly nillable: boolean;
}

/** The types that can be null in .NET by themselves; of the others null has to be declared. */
const REFERENCES: ReadonlySet<string> = new Set<PlainName>(['string', 'base64Binary']);

/** Whether a type is one of .NET's value types, which have a default in place of null. */
export function isValueType({ kind, name }: ValueType): boolean {
  return kind === 'enumeration' || (kind === 'plain' && !REFERENCES.has(name));
}

const MS_PER_MINUTE = 60_000;
const TICKS_PER_MS = 10_000;
/** As long as every other 400 years. */
const MS_PER_ERA = 146_097 * 86_400_000;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?(?:(Z)|([+-])(\d\d):(\d\d))?$/;

/** `Z` for universal time, minutes east of it for a local time, undefined where nothing says. */
export type Zone = 'Z' | number | undefined;

/**
 * .NET's DateTime: what a clock on the wall shows, to a ten-millionth of a second, and what is known of the zone that
 * it hangs in. All of it goes over the wire and comes back as it was.
 */
export class DateTime {
  /**
   * @param wallTime what the clock shows, in milliseconds since it showed the start of 1970
   * @param ticks ten-millionths of a second beyond `wallTime`, from 0 to 9,999
   */
  constructor(
    readonly wallTime: number,
    readonly ticks = 0,
    readonly zone?: Zone,
  ) {}

  /** .NET's default: the first moment of the year 1. */
  static readonly MIN = new DateTime(wallTimeOf(1, 1, 1));

  /** A moment, in universal time. */
  static utc(moment: Date): DateTime {
    return new DateTime(moment.getTime(), 0, 'Z');
  }

  /**
   * Reads the form that {@link toString} writes.
   *
   * @throws RangeError for any other
   */
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

  /** The moment; without a zone the wall clock is taken for one in universal time. */
  toDate(): Date {
    return new Date(this.wallTime - (typeof this.zone === 'number' ? this.zone * MS_PER_MINUTE : 0));
  }

  /** `2026-11-22T08:30:00.1234567+03:00`, without the zeros at the fraction's end. */
  toString(): string {
    const shown = new Date(this.wallTime);
    const date = `${two(Math.floor(shown.getUTCFullYear() / 100))}${two(shown.getUTCFullYear() % 100)}-${two(shown.getUTCMonth() + 1)}-${two(shown.getUTCDate())}`;
    const time = `${two(shown.getUTCHours())}:${two(shown.getUTCMinutes())}:${two(shown.getUTCSeconds())}`;
    const ticks = shown.getUTCMilliseconds() * TICKS_PER_MS + this.ticks;
    return `${date}T${time}${fractionText(ticks)}${zoneText(this.zone)}`;
  }
}

// Numbers are put into texts that are there: a record has a dozen of them.
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

function two(number: number): string {
  return TWO_DIGITS[number] ?? '';
}

function fractionText(ticks: number): string {
  return ticks === 0 ? '' : `.${withoutZeros(String(ticks).padStart(7, '0'))}`;
}

/** Digits without the zeros at their end. */
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

/** Whether a calendar of the years 1 to 9999 has a day. */
export function isDate(year: number, month: number, day: number): boolean {
  if (!(year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1)) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (DAYS[month - 1] ?? 0) + (isLeapYear && month === 2 ? 1 : 0);
}

/** Midnight of a day, in milliseconds since that of 1970. */
export function wallTimeOf(year: number, month: number, day: number): number {
  // Date.UTC takes years below 100 for those of the twentieth century.
  return Date.UTC(year + 400, month - 1, day) - MS_PER_ERA;
}
