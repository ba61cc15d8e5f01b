import type { Config } from '../../config';
import { OperatorError } from '../../support/errors';
import { countPhrase, englishText, type PhraseValue, type Sentence } from '../../support/phrase';
import { readPhone } from '../../support/phones';
import { maskedForms } from '../../support/masks';
import type { Text } from '../texts/words';
import type { TimeText } from './time-text';
import { canonicalSchoolUrl, type DeliveryFilter, type KeyForm, type PhoneFilter } from '../../store';

/** Selection of messages, as commands and pages express it. */
export interface MessageNaming extends Omit<
  DeliveryFilter,
  'phone' | 'classId' | 'createdAfter' | 'createdBefore'
> {
  readonly phone?: string;
  readonly class?: string;
  /** An age such as 10m, 2h or 1d, or a time in ISO 8601; ANY_AGE for messages of any age. */
  readonly newerThan?: string;
  /** An age or a time, never ANY_AGE. */
  readonly olderThan?: string;
}

/** Default age of messages for lists and changes. */
const USUAL_AGE = '24h';
export const ANY_AGE = 'any';

/** Filters that select few messages, regardless of age. */
const OF_ANY_AGE = ['ids', 'phone', 'request', 'student'] as const satisfies readonly (keyof MessageNaming)[];

/** Filters that never match codes. */
export const NOT_OF_CODES = [
  'class',
  'note',
  'student',
  'school',
  'request',
] as const satisfies readonly (keyof MessageNaming)[];

const AGE = /^(\d{1,9})([smhd])$/;
/** Units of ages, with the texts for one and for several. */
const UNITS: Readonly<Record<string, readonly [milliseconds: number, one: Text, several: Text]>> = {
  s: [1000, '{n} second', '{n} seconds'],
  m: [60_000, '{n} minute', '{n} minutes'],
  h: [3_600_000, '{n} hour', '{n} hours'],
  d: [86_400_000, '{n} day', '{n} days'],
};

/** Input that a person can correct; the console shows it in the person's language. */
export class FormError extends OperatorError {
  constructor(readonly sentence: Sentence<Text>) {
    super(englishText(sentence));
  }
}

/** How the texts of a selection are read. */
export interface FilterContext {
  /** Country of numbers without a country code. */
  readonly country: Config['DEFAULT_COUNTRY'];
  readonly keyForm: KeyForm;
  /** Milliseconds since 1970 UTC, from which ages count. */
  readonly now: number;
}

/** @throws FormError for an invalid number or time, or a filter for a number that never matches codes */
export function toFilter(naming: MessageNaming, { country, keyForm, now }: FilterContext): DeliveryFilter {
  const { phone, class: classId, note, student, school, olderThan, ...rest } = naming;
  const { newerThan = defaultAge(naming), ...others } = rest;
  const foreign = NOT_OF_CODES.find((name) => phone !== undefined && naming[name] !== undefined);
  if (foreign !== undefined) {
    const text = 'A phone number finds codes only, and codes have no {field}. Use one or the other.';
    throw new FormError({ text, values: { field: { text: foreign } } });
  }
  return {
    ...others,
    ...(phone !== undefined && { phone: phoneFilter(phone, country) }),
    ...(classId !== undefined && { classId: keyForm(classId) }),
    ...(note !== undefined && { note: keyForm(note) }),
    ...(student !== undefined && { student: keyForm(student) }),
    ...(school !== undefined && { school: canonicalSchoolUrl(school) }),
    ...(newerThan !== ANY_AGE && { createdAfter: parseTime(newerThan, now) - 1 }),
    ...(olderThan !== undefined && { createdBefore: parseTime(olderThan, now) }),
  };
}

/**
 * Returns the age or time in force: the last 24 hours, unless there is a time, or a filter that selects few
 * messages.
 */
export function defaultAge(naming: MessageNaming): string {
  if (naming.newerThan !== undefined) return naming.newerThan;
  const isWide = naming.olderThan !== undefined || OF_ANY_AGE.some((name) => naming[name] !== undefined);
  return isWide ? ANY_AGE : USUAL_AGE;
}

type Bound = 'any' | 'age' | 'time';

/** Texts of time ranges, by how they begin and end. */
const WINDOWS: Readonly<Record<Bound, Readonly<Record<Bound, Text>>>> = {
  any: { any: 'of any age', age: 'older than {until}', time: 'before {until}' },
  age: {
    any: 'of the last {from}',
    age: 'of the last {from}, older than {until}',
    time: 'of the last {from}, before {until}',
  },
  time: {
    any: 'since {from}',
    age: 'since {from}, older than {until}',
    time: 'since {from}, before {until}',
  },
};

/**
 * Returns the time range in words that follow "messages": `of the last 24 hours`.
 *
 * @param time - formats points in time; default: as they were given
 */
export function windowSentence(naming: MessageNaming, time?: TimeText): Sentence<Text> {
  const newerThan = defaultAge(naming);
  const { olderThan } = naming;
  const kindOf = (text: string): 'age' | 'time' => (readAge(text) === undefined ? 'time' : 'age');
  const from = newerThan === ANY_AGE ? 'any' : kindOf(newerThan);
  return {
    text: WINDOWS[from][olderThan === undefined ? 'any' : kindOf(olderThan)],
    values: {
      ...(newerThan !== ANY_AGE && { from: boundOf(newerThan, time) }),
      ...(olderThan !== undefined && { until: boundOf(olderThan, time) }),
    },
  };
}

function boundOf(text: string, time: TimeText | undefined): PhraseValue<Text> {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  const [, one, several] = UNITS[unit] ?? [];
  if (one === undefined || several === undefined) return time?.of(Date.parse(text)) ?? text;
  return countPhrase(Number(count), one, several);
}

function phoneFilter(text: string, country: Config['DEFAULT_COUNTRY']): PhoneFilter {
  const number = readPhone(text, country);
  if (number === undefined) {
    throw new FormError(
      country === undefined
        ? 'Not a valid phone number.'
        : {
            text: 'Not a valid phone number (without a country code, {country} is assumed).',
            values: { country },
          },
    );
  }
  return { number, masked: maskedForms(number) };
}

/** Parses an age such as 90s, 10m, 2h or 1d to milliseconds; undefined for any other text. */
export function readAge(text: string): number | undefined {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit]?.[0] ?? 0);
}

function parseTime(text: string, now: number): number {
  const age = readAge(text);
  if (age !== undefined) return now - age;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new FormError({
      text: '“{text}” is not a valid age or time. Expected, for example, 10m, 2h, 1d or 2026-11-23T04:00Z.',
      values: { text },
    });
  }
  return time;
}
