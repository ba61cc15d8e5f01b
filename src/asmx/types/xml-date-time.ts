import { type DateTime, isDate, wallTimeOf } from '../contract/date-time';
import { type LocalClock, localNow, timeOfDay, toLocalWithin } from './local-clock';
import { ValueError } from './value-error';

/** A form without a zone: the parts that may be missing, and their defaults. */
interface Form {
  readonly shape: RegExp;
  /** A time without a date; it is of today. */
  readonly isTime?: true;
  /** Uses this year if the text has no year; other forms use a leap year. */
  readonly isOfThisYear?: true;
}

/** XML Schema's date and time forms, all of which .NET accepts as a dateTime. */
const FORMS: readonly Form[] = [
  {
    shape:
      /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})T(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})(?:\.(?<fraction>[0-9]+))?$/,
  },
  { shape: /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})$/ },
  {
    shape: /^(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})(?:\.(?<fraction>[0-9]+))?$/,
    isTime: true,
  },
  { shape: /^(?<year>[0-9]{4})-(?<month>[0-9]{2})$/ },
  { shape: /^(?<year>[0-9]{4})$/ },
  { shape: /^--(?<month>[0-9]{2})-(?<day>[0-9]{2})$/ },
  { shape: /^--(?<month>[0-9]{2})(?:--)?$/, isOfThisYear: true },
  { shape: /^---(?<day>[0-9]{2})$/, isOfThisYear: true },
];

/** Optional zone at the end of each form. */
const ZONE = /(?:(?<z>[Zz])|(?<sign>[+-])(?<hour>[0-9]{2}):(?<minute>[0-9]{2}))$/;

/** Year that .NET uses for days without a year. */
const LEAP_YEAR = 1904;
type Groups = Readonly<Record<string, string | undefined>>;

/**
 * Reads a date or a time as XML Schema defines it. A time with an offset becomes the local time of the
 * machine; one in universal time, or without a zone, stays unchanged.
 *
 * @throws ValueError
 */
export function readXmlDateTime(text: string, clock: LocalClock): DateTime {
  const usual = readUsual(text, clock);
  if (usual !== undefined) return usual;
  const trimmed = text.trim();
  const zone = ZONE.exec(trimmed);
  const unzoned = trimmed.slice(0, zone?.index);
  for (const form of FORMS) {
    const groups = form.shape.exec(unzoned)?.groups;
    const value = groups === undefined ? undefined : read(groups, zone?.groups, form, clock);
    if (value !== undefined) return value;
  }
  throw new ValueError(`The string '${text}' is not a valid AllXsd value.`);
}

const ZERO = 0x30;
const FRACTION_START = 20;
const SIGNS = ['+', '-'];

/**
 * Reads the usual form, `2026-11-22T08:30:00` with an optional fraction and zone, at a tenth of the cost of
 * trying all forms; undefined for any other text.
 */
function readUsual(text: string, clock: LocalClock): DateTime | undefined {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  const isParted =
    text[4] === '-' && text[7] === '-' && text[10] === 'T' && text[13] === ':' && text[16] === ':';
  if (!isParted || !isDate(year, month, day) || !(hour <= 23 && minute <= 59 && second <= 59))
    return undefined;
  let end = 19;
  if (text[end] === '.') {
    end = FRACTION_START;
    while (isDigit(text.charCodeAt(end))) end += 1;
    if (end === FRACTION_START) return undefined;
  }
  const fraction = end === 19 ? '' : text.slice(FRACTION_START, end);
  const time = [hour, minute, second] as const;
  const midnight = wallTimeOf(year, month, day);
  if (text.length === end) return timeOfDay(midnight, time, fraction);
  if (text.length === end + 1 && text[end] === 'Z') return timeOfDay(midnight, time, fraction, 'Z');
  const [zoneHour, zoneMinute] = [digits(text, end + 1, end + 3), digits(text, end + 4, end + 6)];
  const isZone = text.length === end + 6 && text[end + 3] === ':' && SIGNS.includes(text[end] ?? '');
  const offset = zoneHour * 60 + zoneMinute;
  if (!isZone || Number.isNaN(offset)) return undefined;
  const { wallTime, ticks } = timeOfDay(midnight, time, fraction);
  return toLocalWithin(wallTime, ticks, text[end] === '-' ? -offset : offset, clock);
}

/** Returns the number at a position of a text, or NaN unless all characters are digits. */
function digits(text: string, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return NaN;
    number = number * 10 + code - ZERO;
  }
  return number;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

function read(groups: Groups, zone: Groups | undefined, form: Form, clock: LocalClock): DateTime | undefined {
  const midnight = midnightOf(groups, form, clock);
  const [hour, minute, second] = [number(groups['hour']), number(groups['minute']), number(groups['second'])];
  if (midnight === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const isUniversal = zone?.['z'] !== undefined;
  const time = [hour, minute, second] as const;
  const value = timeOfDay(midnight, time, groups['fraction'] ?? '', isUniversal ? 'Z' : undefined);
  if (zone?.['sign'] === undefined) return value;
  const offset = number(zone['hour']) * 60 + number(zone['minute']);
  return toLocalWithin(value.wallTime, value.ticks, zone['sign'] === '-' ? -offset : offset, clock);
}

function midnightOf(groups: Groups, { isTime, isOfThisYear }: Form, clock: LocalClock): number | undefined {
  if (isTime === true) return new Date(localNow(clock)).setUTCHours(0, 0, 0, 0);
  const year = groups['year'] === undefined ? LEAP_YEAR : number(groups['year']);
  const [month, day] = [number(groups['month'] ?? '1'), number(groups['day'] ?? '1')];
  if (!isDate(year, month, day)) return undefined;
  return wallTimeOf(isOfThisYear === true ? new Date(localNow(clock)).getUTCFullYear() : year, month, day);
}

function number(text = '0'): number {
  return Number(text);
}
