import * as z from 'zod';

import { timeZone } from '../../config/delivery-kinds';
import type { Kind, Setting } from '../../config/kinds';

/** Minutes since midnight, local time; a span with `from` later than `until` includes midnight. */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
}

const TEXT = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

const quietHours: Kind<QuietHours | 'off'> = {
  allowed: 'times `HH:MM-HH:MM`, or `off`',
  schema: z
    .string()
    .refine(
      (text) => text === 'off' || (TEXT.test(text) && text.slice(0, 5) !== text.slice(6)),
      'is not HH:MM-HH:MM or off',
    )
    .transform((text): QuietHours | 'off' => {
      const [, fromHour, fromMinute, untilHour, untilMinute] = TEXT.exec(text) ?? [];
      if (fromHour === undefined) return 'off';
      return {
        from: Number(fromHour) * 60 + Number(fromMinute),
        until: Number(untilHour) * 60 + Number(untilMinute),
      };
    }),
};

export const ROWS = {
  QUIET_HOURS: {
    default: 'off',
    kind: quietHours,
    description: 'Hours during which notes wait, in the school’s time zone. Codes never wait.',
  },
} satisfies Record<string, Setting>;

/** Fields of a school in DELIVERY_FILE. */
export const SCHOOL_FIELDS = {
  timeZone: timeZone.schema.optional(),
  quietHours: quietHours.schema.optional(),
};
