import * as z from 'zod';

import { FEATURE_RECEIPT_FIELDS, FEATURE_RECEIPTS } from '../../features/feature';
import {
  authorization,
  authorizations,
  bodyProblem,
  code,
  contentTypeProblem,
  furtherRequest,
  method,
  oneOrMore,
  places,
  REQUEST,
} from './request-schema';

/** Placeholders allowed in every template, in addition to the gateway's own values. */
export const MESSAGE_PLACES = [
  'phone',
  'text',
  'id',
  'lifeSeconds',
  'lifeMinutes',
  'lifeMilliseconds',
  'lifeHoursMinutes',
  'now',
  'expiresAt',
  'expiresAtSeconds',
  'textHex',
  'textBase64',
  'textEncoding',
] as const;
/** Placeholders that stand for the text of an SMS. */
const TEXT_PLACES = /\{text(?:Hex|Base64)?\}/;
/** Placeholders of the request that a signature covers. */
export const SIGNED_PLACES = [
  'method',
  'url',
  'path',
  'query',
  'body',
  'timestamp',
  'timestampMs',
  'isoDate',
  'date',
  'host',
  'bodyDigest',
  'nonce',
] as const;

const NAME = /^[a-z][A-Za-z0-9]*$/;
const RESERVED: readonly string[] = [...MESSAGE_PLACES, ...SIGNED_PLACES, 'signature'];

/** A value, or its source: a file, whose last line end is ignored, or an environment variable. */
const value = z.union(
  [z.string(), z.strictObject({ file: z.string().min(1) }), z.strictObject({ env: z.string().min(1) })],
  'must be text, {"file": "PATH"} or {"env": "NAME"}',
);
export type GatewayValue = z.output<typeof value>;

const NOT_A_STATUS = 'is not an HTTP status such as 200 or "4xx"';
/** A status, or its first digit with `xx`. */
const status = z
  .union([z.int(NOT_A_STATUS), z.string()], NOT_A_STATUS)
  .refine((given) => /^[1-5](?:\d\d|xx)$/.test(String(given)), NOT_A_STATUS)
  .transform(String);
const ANSWER_CLASSES = ['accepted', 'busy', 'retry', 'rejected', 'stopped', 'unknown'] as const;

const rule = z
  .strictObject({
    status: oneOrMore(status).optional(),
    code: oneOrMore(code).optional(),
    class: z.enum(ANSWER_CLASSES, `must be one of ${ANSWER_CLASSES.join(', ')}`),
    meaning: z.string().min(1).max(200).optional(),
    pauseSeconds: z.number().positive().max(3600).optional(),
  })
  .refine(
    ({ status: statuses, code }) => statuses !== undefined || code !== undefined,
    'needs "status" or "code"',
  );
export type AnswerRule = z.output<typeof rule>;

const rate = z.union(
  [
    z.strictObject({ perSecond: z.number().positive().max(10_000) }).transform(({ perSecond }) => perSecond),
    z
      .strictObject({ perMinute: z.number().positive().max(600_000) })
      .transform(({ perMinute }) => perMinute / 60),
  ],
  'must be {"perSecond": 4} or {"perMinute": 240}',
);

const balance = furtherRequest.extend({ value: places });

const DESCRIPTION = {
  ...REQUEST,
  method: method.default('POST'),
  charset: z.enum(['utf-8', 'iso-8859-1', 'iso-8859-9', 'windows-1254']).default('utf-8'),
  authorization: authorization.optional(),
  number: z.enum(['e164', 'digits', 'national', 'national-without-zero']).default('e164'),
  /** `gsm7` writes letters that GSM-7 lacks without their marks. */
  alphabet: z.enum(['unicode', 'gsm7']).default('unicode'),
  /** Values of {textEncoding}: for a text of GSM-7 characters, and for any other. */
  encodings: z
    .strictObject({ gsm7: z.string(), unicode: z.string() })
    .default({ gsm7: 'gsm7', unicode: 'unicode' }),
  /** How {now} and {expiresAt} are written. */
  dates: z
    .strictObject({
      format: z
        .string()
        .regex(/yyyy/, 'must contain yyyy, beside MM, dd, HH, mm and ss')
        .default('yyyy-MM-ddTHH:mm:ssZ'),
      offset: z
        .string()
        .regex(/^[+-]\d\d:\d\d$/, 'is not an offset from UTC such as +03:00')
        .default('+00:00'),
    })
    .prefault({}),
  code: places.optional(),
  /** `{id}` if receipts name the message by our own id. */
  providerId: z.union([z.literal('{id}'), places]).optional(),
  parts: places.optional(),
  answers: z
    .array(rule)
    .refine((rules) => rules.some((each) => each.class === 'accepted'), 'needs a rule of class "accepted"'),
  rate: rate.optional(),
  connections: z.int().min(1).max(1000).default(16),
  /** Says whether the gateway takes a repeated {id} for the same SMS. */
  idempotent: z.boolean().default(false),
  balance: balance.optional(),
  ...FEATURE_RECEIPT_FIELDS,
};

const WRITTEN = z
  .strictObject({
    ...DESCRIPTION,
    values: z
      .record(
        z
          .string()
          .regex(NAME, 'is not a name such as apiKey')
          .refine((name) => !RESERVED.includes(name), 'is the name of a built-in placeholder'),
        value,
      )
      .default({}),
  })
  .check(({ value: given, issues }) => {
    const complain = (field: string, message: string | undefined) =>
      message !== undefined && issues.push({ code: 'custom', path: [field], message, input: given });
    complain('body', bodyProblem(given));
    complain('headers', contentTypeProblem(given));
    const whole = JSON.stringify([given.url, given.headers, given.body]);
    const field = given.body === undefined ? 'url' : 'body';
    if (!whole.includes('{phone}')) complain(field, 'does not contain {phone}');
    if (!TEXT_PLACES.test(whole)) complain(field, 'does not contain {text}');
    if (given.code === undefined && given.answers.some((each) => each.code !== undefined))
      complain('answers', 'match codes, so "code" must say where the answer has its code');
  });

/** Fields of presets that nothing reads without a feature. */
const OF_FEATURES: object = { receipts: z.unknown().optional() };

/** Describes a value that a preset asks the operator for. */
const parameter = z.strictObject({
  description: z.string(),
  default: z.string().optional(),
  /** The parameter whose value it has by default. */
  sameAs: z.string().optional(),
  /** True for a credential, which must not be shown. */
  secret: z.boolean().default(false),
});

/** A gateway that this program knows. */
export const PRESET = z.strictObject({
  title: z.string(),
  sources: z.array(z.url()),
  unconfirmed: z.array(z.string()),
  /** Things that the operator needs from the provider beside the values. */
  ask: z.array(z.string()).min(1),
  parameters: z.record(z.string().regex(NAME), parameter),
  gateway: z.strictObject({ ...OF_FEATURES, ...DESCRIPTION }),
});
export type Preset = z.output<typeof PRESET>;

/** Lists the options that an operator may set beside the parameters of a preset. */
const PRESET_OPTIONS = {
  rate: rate.optional(),
  connections: z.int().min(1).max(1000).optional(),
  idempotent: z.boolean().optional(),
};

const PRESET_USE = z.looseObject({ preset: z.string(), ...PRESET_OPTIONS });

const gatewayName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a name of lower-case letters, digits and hyphens')
  .refine((name) => name !== 'file', 'is reserved for TEST_NUMBERS');

const route = z.strictObject({
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'is not a country code such as TR'))
    .min(1)
    .optional(),
  gateways: z.array(gatewayName).min(1),
});
export type Route = z.output<typeof route>;

export const GATEWAYS_FILE = z.strictObject({
  gateways: z.record(gatewayName, z.unknown()).refine((all) => Object.keys(all).length > 0, 'is empty'),
  /** Default: every number uses the first gateway, and the next one when that cannot send. */
  routes: z.array(route).min(1).optional(),
});

type FieldPlace = readonly [place: string, fields: readonly string[]];

const placeOf = (place: string, { shape }: { readonly shape: object }): FieldPlace => [
  place,
  Object.keys(shape),
];

/** Lists the fields of each place, for suggestions. */
const FIELDS: readonly FieldPlace[] = [
  placeOf('the file', GATEWAYS_FILE),
  placeOf('a gateway', WRITTEN),
  placeOf('a rule in "answers"', rule),
  ...authorizations.map((each) => placeOf('"authorization"', each)),
  ...(FEATURE_RECEIPTS?.places ?? []),
  placeOf('"balance"', balance),
  placeOf('a route', route),
];

/** Names of all fields, for suggestions. */
export const FIELD_NAMES: readonly string[] = [...new Set(FIELDS.flatMap(([, fields]) => fields))];

/** Returns the places to which a field belongs; none for an unknown name. */
export function placesOfField(name: string): readonly string[] {
  return [...new Set(FIELDS.filter(([, fields]) => fields.includes(name)).map(([place]) => place))];
}

export { PRESET_USE, value as VALUE, WRITTEN };
export type WrittenGateway = z.output<typeof WRITTEN>;
