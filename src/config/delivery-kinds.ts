import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max';
import { z } from 'zod';

import { tryTo } from '../support/errors';
import { isSendable } from '../support/text';
import { type Kind, list } from './kinds';

/** Minutes since midnight, local time; a span with `from` later than `until` includes midnight. */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
}

const QUIET_HOURS_TEXT = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

export const quietHours: Kind<QuietHours | 'off'> = {
  allowed: 'times `HH:MM-HH:MM`, or `off`',
  schema: z
    .string()
    .refine(
      (text) => text === 'off' || (QUIET_HOURS_TEXT.test(text) && text.slice(0, 5) !== text.slice(6)),
      'is not HH:MM-HH:MM or off',
    )
    .transform((text): QuietHours | 'off' => {
      const [, fromHour, fromMinute, untilHour, untilMinute] = QUIET_HOURS_TEXT.exec(text) ?? [];
      if (fromHour === undefined) return 'off';
      return {
        from: Number(fromHour) * 60 + Number(fromMinute),
        until: Number(untilHour) * 60 + Number(untilMinute),
      };
    }),
};

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
  return tryTo(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined;
}

/** Undefined for `*`. */
export const countries: Kind<readonly CountryCode[] | undefined> = {
  allowed: 'two-letter country codes separated by commas, such as `TR,DE`; `*` for all',
  schema: z.union([z.literal('*').transform(() => undefined), list(isSupportedCountry)]),
};

/** Numbers in E.164, or of DEFAULT_COUNTRY. */
export const phoneNumbers: Kind<readonly string[]> = {
  allowed: 'phone numbers separated by commas, such as `+905551112233`; or empty',
  schema: z.union([z.literal('').transform(() => []), list((part) => /^\+?[0-9 ()-]{3,30}$/.test(part))]),
};

export function text(most: number): Kind<string> {
  return { allowed: `text of at most ${String(most)} characters`, schema: z.string().max(most) };
}

/** May contain placeholders such as `{code}`. */
export const smsText: Kind<string> = {
  allowed: 'text of at most 1000 characters, without control characters except line breaks',
  schema: z.string().max(1000).refine(isSendable, 'contains control characters'),
};

export const url: Kind<string> = {
  allowed: '`http://` or `https://` URL',
  schema: z.string().refine((given) => /^https?:\/\/\S+$/i.test(given) && URL.canParse(given)),
};
