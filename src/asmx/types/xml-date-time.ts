import { DateTime, isDate, wallTimeOf } from '../contract/values';
import { MINUS, NOT_PUT, POINT, putDigits, putTwo, withoutZeroBytes } from './ascii-text';
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
 * Reads a date or a time as XML Schema defines it. A time with an offset becomes the local time of the machine; one in
 * universal time, or without a zone, stays unchanged.
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
 * Reads the usual form, `2026-11-22T08:30:00` with an optional fraction and zone, at a tenth of the cost of trying all
 * forms; undefined for any other text.
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

const MS_PER_DAY = 86_400_000;
const TICKS_PER_MS = 10_000;
const FRACTION_DIGITS = 7;
/** Times beyond .NET's years are not written. */
const MIN = DateTime.MIN.wallTime;
const END = Date.UTC(10_000, 0, 1);
/** Limit of offsets with two-digit hours, in minutes. */
const END_OF_OFFSETS = 6000;
const COLON = 0x3a;
const PLUS = 0x2b;
const T = 0x54;
const Z = 0x5a;

/** Writes the text of {@link DateTime.toString}; the calendar is computed without creating a Date. */
export function putDateTime({ wallTime, ticks, zone }: DateTime, bytes: Uint8Array, at: number): number {
  const isWritten = wallTime >= MIN && wallTime < END && Number.isInteger(wallTime);
  if (!isWritten || !(ticks >= 0 && ticks < TICKS_PER_MS && Number.isInteger(ticks))) return NOT_PUT;
  const day = Math.floor(wallTime / MS_PER_DAY);
  putDay(day, bytes, at);
  const ms = wallTime - day * MS_PER_DAY;
  const seconds = (ms / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  bytes[at + 10] = T;
  putTwo(hours, bytes, at + 11);
  bytes[at + 13] = COLON;
  putTwo(minutes - hours * 60, bytes, at + 14);
  bytes[at + 16] = COLON;
  putTwo(seconds - minutes * 60, bytes, at + 17);
  const fraction = (ms - seconds * 1000) * TICKS_PER_MS + ticks;
  return putZone(zone, bytes, fraction === 0 ? at + 19 : putFraction(fraction, bytes, at + 19));
}

/** Writes a date, given as days since 1 January 1970. */
function putDay(day: number, bytes: Uint8Array, at: number): void {
  // Years begin in March, in eras of 400 years: the leap day is the last of each year.
  const sinceMarch = (day + 719_468) | 0;
  const era = (sinceMarch / 146_097) | 0;
  const dayOfEra = sinceMarch - era * 146_097;
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0;
  const dayOfYear = dayOfEra - (yearOfEra * 365 + (yearOfEra >> 2) - ((yearOfEra / 100) | 0));
  const fromMarch = ((dayOfYear * 5 + 2) / 153) | 0;
  const isNextYear = fromMarch >= 10;
  const year = era * 400 + yearOfEra + (isNextYear ? 1 : 0);
  putDigits(year, 4, bytes, at);
  bytes[at + 4] = MINUS;
  putTwo(isNextYear ? fromMarch - 9 : fromMarch + 3, bytes, at + 5);
  bytes[at + 7] = MINUS;
  putTwo(dayOfYear - (((fromMarch * 153 + 2) / 5) | 0) + 1, bytes, at + 8);
}

function putFraction(ticks: number, bytes: Uint8Array, at: number): number {
  bytes[at] = POINT;
  putDigits(ticks, FRACTION_DIGITS, bytes, at + 1);
  return withoutZeroBytes(bytes, at + 1, at + 1 + FRACTION_DIGITS);
}

function putZone(zone: DateTime['zone'], bytes: Uint8Array, at: number): number {
  if (zone === undefined) return at;
  if (zone === 'Z') {
    bytes[at] = Z;
    return at + 1;
  }
  const minutes = Math.abs(zone);
  if (!(Number.isInteger(zone) && minutes < END_OF_OFFSETS)) return NOT_PUT;
  const hours = (minutes / 60) | 0;
  bytes[at] = zone < 0 ? MINUS : PLUS;
  putTwo(hours, bytes, at + 1);
  bytes[at + 3] = COLON;
  putTwo(minutes - hours * 60, bytes, at + 4);
  return at + 6;
}
