import { DateTime, isDate, type Zone, wallTimeOf } from '../contract';
import { type LocalClock, localNow, timeOfDay, toLocalWithin } from './local-clock';
import { ValueError } from './value-error';

/** What a text may leave out, and what stands in its place. */
interface Form {
  readonly shape: RegExp;
  /** Where the year does not say so: this year, or the leap year by which .NET takes days without one. */
  readonly year: 'now' | 'leap';
  /** A time alone is one of today. */
  readonly isTime?: true;
}

/** XML Schema's forms of dates and times, all of which .NET takes where it reads a dateTime. */
const FORMS: readonly Form[] = [
  {
    shape:
      /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})T(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})(?:\.(?<fraction>[0-9]+))?(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'leap',
  },
  {
    shape:
      /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'leap',
  },
  {
    shape:
      /^(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})(?:\.(?<fraction>[0-9]+))?(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'leap',
    isTime: true,
  },
  {
    shape:
      /^(?<year>[0-9]{4})-(?<month>[0-9]{2})(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'leap',
  },
  {
    shape: /^(?<year>[0-9]{4})(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'leap',
  },
  {
    shape:
      /^--(?<month>[0-9]{2})-(?<day>[0-9]{2})(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'leap',
  },
  {
    shape:
      /^--(?<month>[0-9]{2})(?:--)?(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'now',
  },
  {
    shape: /^---(?<day>[0-9]{2})(?:(?<z>[Zz])|(?<sign>[+-])(?<zoneHour>[0-9]{2}):(?<zoneMinute>[0-9]{2}))?$/,
    year: 'now',
  },
];

const LEAP_YEAR = 1904;
type Groups = Readonly<Record<string, string | undefined>>;

/**
 * Reads a date or a time as XML Schema has it. A time with an offset becomes the local time of the machine; one in
 * universal time, or without a zone, stays what it is.
 *
 * @throws ValueError
 */
export function readXmlDateTime(text: string, clock: LocalClock): DateTime {
  const trimmed = text.trim();
  for (const candidate of FORMS) {
    const groups = candidate.shape.exec(trimmed)?.groups;
    const value = groups === undefined ? undefined : read(groups, candidate, clock);
    if (value !== undefined) return value;
  }
  throw new ValueError(`The string '${text}' is not a valid AllXsd value.`);
}

function read(groups: Groups, { year, isTime }: Form, clock: LocalClock): DateTime | undefined {
  const midnight = midnightOf(groups, year, isTime === true, clock);
  const [hour, minute, second] = [number(groups['hour']), number(groups['minute']), number(groups['second'])];
  if (midnight === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const zone: Zone = groups['z'] === undefined ? undefined : 'Z';
  const { wallTime, ticks } = timeOfDay(midnight, [hour, minute, second], groups['fraction'] ?? '');
  if (groups['sign'] === undefined) return new DateTime(wallTime, ticks, zone);
  const offset = number(groups['zoneHour']) * 60 + number(groups['zoneMinute']);
  return toLocalWithin(wallTime, ticks, groups['sign'] === '-' ? -offset : offset, clock);
}

function midnightOf(
  groups: Groups,
  missing: Form['year'],
  isTime: boolean,
  clock: LocalClock,
): number | undefined {
  const today = new Date(localNow(clock));
  if (isTime) return today.setUTCHours(0, 0, 0, 0);
  const year = groups['year'] === undefined ? LEAP_YEAR : number(groups['year']);
  const [month, day] = [number(groups['month'] ?? '1'), number(groups['day'] ?? '1')];
  if (!isDate(year, month, day)) return undefined;
  const shown = groups['year'] === undefined && missing === 'now' ? today.getUTCFullYear() : year;
  return wallTimeOf(shown, month, day);
}

function number(text = '0'): number {
  return Number(text);
}
