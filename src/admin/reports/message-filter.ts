import type { Config } from '../../config';
import { OperatorError } from '../../support/errors';
import { countPhrase, englishText, type PhraseValue, type Sentence } from '../../support/phrase';
import { readPhone } from '../../support/phones';
import { maskedForms } from '../../support/masks';
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
const UNITS: Readonly<Record<string, readonly [milliseconds: number, name: string]>> = {
  s: [1000, 'second'],
  m: [60_000, 'minute'],
  h: [3_600_000, 'hour'],
  d: [86_400_000, 'day'],
};

/** Input that a person can correct; the console shows it in the person's language. */
export class FormError extends OperatorError {
  constructor(readonly sentence: Sentence) {
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

/**
 * Returns the time range in words that follow "messages": `of the last 24 hours`.
 *
 * @param time - formats points in time; default: as they were given
 */
export function windowSentence(naming: MessageNaming, time?: TimeText): Sentence {
  const newerThan = defaultAge(naming);
  const { olderThan } = naming;
  const isAge = (text: string): boolean => readAge(text) !== undefined;
  const texts = [
    ...(newerThan === ANY_AGE ? [] : [isAge(newerThan) ? 'of the last {from}' : 'since {from}']),
    ...(olderThan === undefined ? [] : [isAge(olderThan) ? 'older than {until}' : 'before {until}']),
  ];
  if (texts.length === 0) return 'of any age';
  return {
    text: texts.join(', '),
    values: {
      ...(newerThan !== ANY_AGE && { from: boundOf(newerThan, time) }),
      ...(olderThan !== undefined && { until: boundOf(olderThan, time) }),
    },
  };
}

function boundOf(text: string, time: TimeText | undefined): PhraseValue {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  if (count === undefined) return time?.of(Date.parse(text)) ?? text;
  const name = UNITS[unit]?.[1] ?? '';
  return countPhrase(Number(count), `{n} ${name}`, `{n} ${name}s`);
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
