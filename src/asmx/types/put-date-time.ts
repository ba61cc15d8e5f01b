import { DateTime } from '../contract';
import { MINUS, NOT_PUT, POINT, putDigits, putTwo, withoutZeroBytes } from './ascii-text';

const MS_PER_DAY = 86_400_000;
const TICKS_PER_MS = 10_000;
const FRACTION_DIGITS = 7;
/** Beyond .NET's years nothing is put. */
const MIN = DateTime.MIN.wallTime;
const END = Date.UTC(10_000, 0, 1);
/** As long an offset as two digits for hours can say, in minutes. */
const END_OF_OFFSETS = 6000;
const COLON = 0x3a;
const PLUS = 0x2b;
const T = 0x54;
const Z = 0x5a;

/** Puts what {@link DateTime.toString} says; the calendar is computed, so that no Date is made. */
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

/** Puts a date, of a day counted from that of 1970. */
function putDay(day: number, bytes: Uint8Array, at: number): void {
  // Years from March on, in eras of 400 years: the leap day is the last of each.
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
