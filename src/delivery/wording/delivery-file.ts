import { readFileSync } from 'node:fs';

import { z } from 'zod';

import { quietHours, SettingError, smsText, timeZone } from '../../config';
import { canonicalSchoolUrl } from '../../store';

const language = z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/, 'is no language such as tr');
const text = z.string().min(1).max(1000).optional();

const CONTENT = z.strictObject({
  languages: z
    .record(
      language,
      z.strictObject({
        smsText: smsText.schema.pipe(z.string().min(1)).optional(),
        pushTitle: text,
        pushBody: text,
      }),
    )
    .default({}),
  countries: z.record(z.string().regex(/^[A-Z]{2}$/, 'is no country such as TR'), language).default({}),
  schools: z
    .record(
      z.string().transform(canonicalSchoolUrl),
      z.strictObject({
        language: language.optional(),
        timeZone: timeZone.schema.optional(),
        quietHours: quietHours.schema.optional(),
      }),
    )
    .default({}),
});

/** What differs from language to language, country to country and school to school. */
export type DeliveryFile = z.output<typeof CONTENT>;

/**
 * @param path - undefined for no file: then nothing differs
 * @throws SettingError where it cannot be read, or holds what is not allowed
 */
export function readDeliveryFile(path: string | undefined): DeliveryFile {
  if (path === undefined) return CONTENT.parse({});
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new SettingError(`The file ${path} (DELIVERY_FILE) cannot be read. ${String(cause)}`, {
      cause,
    });
  }
  const result = CONTENT.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    const where = issue?.path.join(' > ') ?? '';
    throw new SettingError(
      `The file ${path} (DELIVERY_FILE) is wrong at ${where || 'its beginning'}: ${issue?.message ?? ''}.`,
    );
  }
  const named = [
    ...Object.values(result.data.countries),
    ...Object.values(result.data.schools).flatMap((school) => school.language ?? []),
  ];
  const unknown = named.find((name) => !(name in result.data.languages));
  if (unknown !== undefined) {
    throw new SettingError(
      `The file ${path} (DELIVERY_FILE) names the language ${unknown}, which is not among its languages.`,
    );
  }
  return result.data;
}
