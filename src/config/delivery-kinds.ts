import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max';
import * as z from 'zod';

import { DAY_MS, SECOND_MS } from '../support/durations';
import { tryTo } from '../support/errors';
import { isSendable } from '../support/text';
import { type Kind, list } from './kinds';

export const timeZone: Kind<string> = {
  allowed: 'IANA name of a time zone, such as `Europe/Istanbul` for `Turkey Standard Time` of Windows',
  schema: z
    .string()
    .refine(
      isTimeZone,
      'is not the IANA name of a time zone, such as Europe/Istanbul for Turkey Standard Time of Windows',
    ),
};

function isTimeZone(name: string): boolean {
  // The list has no other names of a zone, such as Turkey, but takes a tenth of the time, at each start.
  if (Intl.supportedValuesOf('timeZone').includes(name)) return true;
  return tryTo(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined;
}

/** Undefined for `*`. */
export const countries: Kind<readonly CountryCode[] | undefined> = {
  allowed: 'two-letter country codes separated by commas, such as `TR,DE`; `*` for all',
  schema: z.union([z.literal('*').transform(() => undefined), list(isSupportedCountry)]),
};

/** Limits on the number of codes; 0 switches one off. */
export interface CodeNumberLimits {
  readonly coolDownMs: number;
  readonly perTenMinutes: number;
  readonly perDay: number;
  readonly perDayOverall: number;
}

/** How a limit is written: its number, and what that counts. */
const CODE_LIMITS: readonly (readonly [keyof CodeNumberLimits, written: RegExp, unit: number])[] = [
  ['perTenMinutes', /^([1-9]\d{0,3})\/10m$/, 1],
  ['perDay', /^([1-9]\d{0,3})\/24h$/, 1],
  ['coolDownMs', /^1\/([1-9]\d{0,4})s$/, SECOND_MS],
  ['perDayOverall', /^all:([1-9]\d{0,8})\/day$/, 1],
];

/** Returns undefined if it is not valid. */
function readCodeLimits(text: string): CodeNumberLimits | undefined {
  const limits = { coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: 0 };
  if (text === 'off') return limits;
  for (const part of text.split(',')) {
    const found = CODE_LIMITS.find(([, written]) => written.test(part.trim()));
    if (found === undefined) return undefined;
    const [name, written, unit] = found;
    if (limits[name] > 0) return undefined;
    limits[name] = Number(written.exec(part.trim())?.[1]) * unit;
  }
  // The codes of a day are known.
  return limits.coolDownMs <= DAY_MS ? limits : undefined;
}

export const codeLimits: Kind<CodeNumberLimits> = {
  allowed:
    '`COUNT/10m`, `COUNT/24h`, `1/SECONDSs` (at most 86400) and `all:COUNT/day`, each at most once, separated by commas; or `off`',
  schema: z.string().transform((text, context) => {
    const limits = readCodeLimits(text);
    if (limits !== undefined) return limits;
    context.addIssue('is not a list of limits');
    return z.NEVER;
  }),
};

/** Numbers in E.164, or of DEFAULT_COUNTRY. */
export const phoneNumbers: Kind<readonly string[]> = {
  allowed: 'phone numbers separated by commas, such as `+905551112233`; or empty',
  schema: z.union([z.literal('').transform(() => []), list((part) => /^\+?[0-9 ()-]{3,30}$/.test(part))]),
};

/** May contain placeholders such as `{code}`. */
export const smsText: Kind<string> = {
  allowed: 'text of at most 1000 characters, without control characters except line breaks',
  schema: z.string().max(1000).refine(isSendable, 'contains control characters'),
};
