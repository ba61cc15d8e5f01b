import { z } from 'zod';

import { parseJson, quietHours, readOperatorFile, SettingError, smsText, timeZone } from '../../config';
import { canonicalSchoolUrl } from '../../store';
import { readAmount } from './sms-prices';

const language = z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/, 'is no language such as tr');
const text = z.string().min(1).max(1000).optional();
const sms = smsText.schema.pipe(z.string().min(1)).optional();

const smsPrice = z.strictObject({
  from: z.iso.date('is no day such as 2026-01-01'),
  price: z.string().transform((text, context): bigint => {
    const amount = readAmount(text);
    if (amount !== undefined) return amount;
    context.addIssue('is no amount such as "0.0125"');
    return z.NEVER;
  }),
  currency: z.string().regex(/^[A-Z]{3}$/, 'is no currency such as EUR'),
});

/** A language alone is short for an object with nothing else. */
const country = z.preprocess(
  (given) => (typeof given === 'string' ? { language: given } : given),
  z.strictObject({
    language: language.optional(),
    smsShiftTable: z.literal('turkish', 'is not turkish').optional(),
    smsSuffix: sms,
    smsPrices: z
      .array(smsPrice)
      .refine(
        (prices) => new Set(prices.map(({ from }) => from)).size === prices.length,
        'has two prices from the same day',
      )
      .optional(),
  }),
);

const CONTENT = z.strictObject({
  smsEncoding: z.literal('ucs2', 'is not ucs2').optional(),
  languages: z
    .record(
      language,
      z.strictObject({
        smsText: sms,
        pushTitle: text,
        pushBody: text,
      }),
    )
    .default({}),
  countries: z.record(z.string().regex(/^[A-Z]{2}$/, 'is no country such as TR'), country).default({}),
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
 * @throws OperatorError where it cannot be read, or holds what is not allowed
 */
export function readDeliveryFile(path: string | undefined): DeliveryFile {
  if (path === undefined) return CONTENT.parse({});
  const file = readOperatorFile(path, 'DELIVERY_FILE');
  const content = parseJson(file);
  const result = CONTENT.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new SettingError(
      `The file ${file.name} is wrong at ${placeOf(issue?.path ?? [], content)}: ${reasonOf(issue)}.`,
    );
  }
  const { countries, schools } = result.data;
  const named = [...Object.values(countries), ...Object.values(schools)].flatMap(
    (each) => each.language ?? [],
  );
  const unknown = named.find((name) => !(name in result.data.languages));
  if (unknown !== undefined) {
    throw new SettingError(
      `The file ${file.name} names a language under countries or schools that is not among its languages.`,
    );
  }
  return result.data;
}

/** Where in the file: countries, languages and schools by their number, for names are the file's contents. */
function placeOf(path: readonly PropertyKey[], content: unknown): string {
  const [group, name, ...rest] = path.map(String);
  if (group === undefined) return 'its beginning';
  if (name === undefined) return group;
  const entries: unknown = Reflect.get(Object(content) as object, group);
  const number = Object.keys(Object(entries) as object).indexOf(name) + 1;
  return [group, `entry ${String(number)}`, ...rest].join(' > ');
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  return issue?.code === 'unrecognized_keys' ? 'has a name that is not known here' : (issue?.message ?? '');
}
