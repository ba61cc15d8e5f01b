import { z } from 'zod';

import { SearchPattern } from '../../config';

/** Placeholders allowed in every template, in addition to the gateway's own values. */
export const MESSAGE_PLACES = [
  'phone',
  'text',
  'id',
  'lifeSeconds',
  'lifeMinutes',
  'lifeMilliseconds',
  'lifeHoursMinutes',
] as const;
/** Placeholders of the request that a signature covers. */
export const SIGNED_PLACES = [
  'method',
  'url',
  'path',
  'query',
  'body',
  'timestamp',
  'timestampMs',
  'nonce',
] as const;

const NAME = /^[a-z][A-Za-z]*$/;
const RESERVED: readonly string[] = [...MESSAGE_PLACES, ...SIGNED_PLACES, 'signature'];

/** A value, or its source: a file, whose last line end is ignored, or an environment variable. */
const value = z.union([
  z.string(),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ env: z.string().min(1) }),
]);
export type Value = z.output<typeof value>;

const headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is not a valid header name'),
  z.string().regex(/^[^\r\n\0]*$/, 'is not a valid header value'),
);

const pattern = z.string().transform((source, context) => {
  try {
    const made = new SearchPattern(source);
    if (made.groupNames.length === 1) return made;
    context.addIssue('needs exactly one named group, such as (?<value>[0-9]+)');
  } catch {
    context.addIssue('is not an RE2 regular expression (no look-around, no back-references)');
  }
  return z.NEVER;
});

const POINTER = z.string().regex(/^(\/[^/]*)*$/, 'is not a JSON pointer such as /messages/0/status');

/** One place in the body of an answer. */
const place = z.union(
  [
    z.strictObject({
      json: POINTER,
    }),
    z.strictObject({
      xml: z.string().regex(/^[^/\s]+(\/[^/\s]+)*$/, 'is not a path of elements such as main/code'),
    }),
    z.strictObject({ pattern }),
  ],
  'must be {"json": "/pointer"}, {"xml": "path/of/elements"} or {"pattern": "(?<value>...)"}',
);
/** Accepts a single value in place of a list. */
function asList(given: unknown): unknown {
  return Array.isArray(given) ? given : [given];
}

/** Places to search in order; the first non-empty one is used. */
const places = z.preprocess(asList, z.array(place).min(1));
export type AnswerPlace = z.output<typeof place>;

const status = z.union(
  [z.int().min(100).max(599), z.string().regex(/^[1-5]xx$/)],
  'is not an HTTP status such as 200 or "4xx"',
);
const oneOrMore = <T extends z.ZodType>(each: T) => z.preprocess(asList, z.array(each).min(1));

const ANSWER_CLASSES = ['accepted', 'busy', 'retry', 'rejected', 'stopped', 'unknown'] as const;

const rule = z
  .strictObject({
    status: oneOrMore(status).optional(),
    code: oneOrMore(z.string().min(1).max(60)).optional(),
    class: z.enum(ANSWER_CLASSES, `must be one of ${ANSWER_CLASSES.join(', ')}`),
    meaning: z.string().min(1).max(200).optional(),
    pauseSeconds: z.number().positive().max(3600).optional(),
  })
  .refine(
    ({ status: statuses, code }) => statuses !== undefined || code !== undefined,
    'needs "status" or "code"',
  );
export type AnswerRule = z.output<typeof rule>;

const authorization = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), user: z.string(), password: z.string() }),
  z.strictObject({ type: z.literal('bearer'), token: z.string() }),
  z.strictObject({ type: z.literal('header'), name: z.string().min(1), value: z.string() }),
  z.strictObject({
    type: z.literal('oauth'),
    tokenUrl: z.string().min(1),
    clientId: z.string(),
    clientSecret: z.string(),
    scope: z.string().optional(),
    /** Says where the credentials go: into the Authorization header, or into the form. */
    credentialsIn: z.enum(['header', 'body']).default('header'),
  }),
  z.strictObject({
    type: z.literal('hmac'),
    algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
    key: z.string(),
    /** Template of the text to sign. */
    over: z.string().min(1),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    headers,
  }),
]);
export type Authorization = z.output<typeof authorization>;

const rate = z.union(
  [
    z.strictObject({ perSecond: z.number().positive().max(10_000) }).transform(({ perSecond }) => perSecond),
    z
      .strictObject({ perMinute: z.number().positive().max(600_000) })
      .transform(({ perMinute }) => perMinute / 60),
  ],
  'must be {"perSecond": 4} or {"perMinute": 240}',
);

const method = z.enum(['POST', 'PUT', 'GET']);

/** Escaping of values. */
const bodyType = z.enum(['json', 'form', 'xml']);
/** A template, the fields of a form, or any JSON with templates as texts. */
const body = z.union([z.string(), z.record(z.string(), z.json())]);

/** A request that sends nothing; its authorization is the gateway's own unless it names another. */
const furtherRequest = z.strictObject({
  url: z.string().min(1),
  method: method.default('GET'),
  headers: headers.default({}),
  type: bodyType.optional(),
  body: body.optional(),
  authorization: authorization.optional(),
});
export type FurtherRequest = z.output<typeof furtherRequest>;

/** A request for the account's balance. */
const balance = furtherRequest.extend({ value: places });

/** `waiting` is a status after which another one follows. */
const receiptRule = z.strictObject({
  status: oneOrMore(z.string().min(1).max(60)).optional(),
  code: oneOrMore(z.string().min(1).max(60)).optional(),
  state: z.enum(['delivered', 'undelivered', 'waiting']),
  meaning: z.string().min(1).max(200).optional(),
});

/** A request by which a gateway that does not call is asked for receipts, with the ids at {providerIds}. */
const receiptRequest = furtherRequest.extend({
  /** Maximum number of ids in a request: separated by commas, or the members of a JSON list. */
  ids: z.int().min(1).max(1000).default(1),
});

/**
 * Describes how a gateway reports what became of an SMS: it calls, or is asked. A form or a query is read as a JSON
 * object.
 */
const receipts = z
  .strictObject({
    /** A template for the address that the gateway calls; where it is empty, no receipts are expected. */
    url: z.string().min(1).optional(),
    request: receiptRequest.optional(),
    /** JSON pointer to the list of receipts; default: the body is one. */
    list: POINTER.optional(),
    /** Default: the one id that was asked for. */
    providerId: places.optional(),
    status: places,
    code: places.optional(),
    /** ISO 8601, or DD.MM.YYYY HH:MM:SS; default: when the receipt arrives. */
    time: places.optional(),
    /** Time zone of times that name none; without it, they are ignored. */
    offset: z
      .string()
      .regex(/^[+-]\d\d:\d\d$/, 'is not an offset from UTC such as +03:00')
      .optional(),
    parts: places.optional(),
    /** The first that fits counts. */
    states: z.array(receiptRule).min(1),
    /** How calls are signed beside the secret in their address; an empty key checks no signature. */
    signature: z.strictObject({ type: z.enum(['twilio', 'vonage']), key: z.string() }).optional(),
  })
  .refine(({ url, request }) => url === undefined || request === undefined, 'has both "url" and "request"')
  .refine(({ providerId, request }) => providerId !== undefined || request?.ids === 1, 'needs "providerId"');
export type ReceiptDescription = z.output<typeof receipts>;

const DESCRIPTION = {
  url: z.string().min(1),
  method: method.default('POST'),
  headers: headers.default({}),
  type: bodyType.optional(),
  body: body.optional(),
  charset: z.enum(['utf-8', 'iso-8859-1', 'iso-8859-9', 'windows-1254']).default('utf-8'),
  authorization: authorization.optional(),
  /** How the number is written. */
  number: z.enum(['e164', 'digits', 'national', 'national-without-zero']).default('e164'),
  /** `gsm7` writes letters that GSM-7 lacks without their marks. */
  alphabet: z.enum(['unicode', 'gsm7']).default('unicode'),
  code: places.optional(),
  providerId: places.optional(),
  parts: places.optional(),
  answers: z
    .array(rule)
    .refine((rules) => rules.some((each) => each.class === 'accepted'), 'needs a rule of class "accepted"'),
  rate: rate.optional(),
  connections: z.int().min(1).max(1000).default(16),
  /** Says whether the gateway takes a repeated {id} for the same SMS. */
  idempotent: z.boolean().default(false),
  balance: balance.optional(),
  receipts: receipts.optional(),
};

/** A gateway that is written out. */
const WRITTEN = z
  .strictObject({
    ...DESCRIPTION,
    values: z
      .record(
        z
          .string()
          .regex(NAME, 'is not a name such as apiKey')
          .refine((name) => !RESERVED.includes(name), 'is the name of a placeholder that exists already'),
        value,
      )
      .default({}),
  })
  .check(({ value: { body, type, method: by }, issues }) => {
    const complain = (message: string) =>
      issues.push({ code: 'custom', path: ['body'], message, input: body });
    if (by === 'GET' && body !== undefined) complain('cannot be sent by GET');
    else if (by !== 'GET' && body === undefined) complain('is missing');
    else if (body !== undefined && type === undefined) complain('needs "type": "json", "form" or "xml"');
    else if (typeof body === 'object' && type === 'xml') complain('must be text for "type": "xml"');
    else if (
      typeof body === 'object' &&
      type === 'form' &&
      Object.values(body).some((each) => typeof each !== 'string')
    )
      complain('must have a text for each field of a form');
  });

/** Describes a value that a preset asks the operator for. */
const parameter = z.strictObject({
  description: z.string(),
  default: z.string().optional(),
  /** The parameter whose value it has by default. */
  sameAs: z.string().optional(),
});

/** A gateway that this program knows. */
export const PRESET = z.strictObject({
  title: z.string(),
  sources: z.array(z.url()),
  unconfirmed: z.array(z.string()),
  /** What the operator needs from the provider beside the values. */
  ask: z.array(z.string()).min(1),
  parameters: z.record(z.string().regex(NAME), parameter),
  gateway: z.strictObject(DESCRIPTION),
});
export type Preset = z.output<typeof PRESET>;

/** Lists the options that an operator may set beside the parameters of a preset. */
const PRESET_OPTIONS = {
  rate: rate.optional(),
  connections: z.int().min(1).max(1000).optional(),
};

const PRESET_USE = z.looseObject({ preset: z.string(), ...PRESET_OPTIONS });

const gatewayName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and hyphens')
  .refine((name) => name !== 'file', 'is the name of the file that TEST_NUMBERS go to');

const route = z.strictObject({
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'is not a country such as TR'))
    .min(1)
    .optional(),
  gateways: z.array(gatewayName).min(1),
});
export type Route = z.output<typeof route>;

/** The contents of GATEWAYS_FILE. */
export const GATEWAYS_FILE = z.strictObject({
  gateways: z.record(gatewayName, z.unknown()).refine((all) => Object.keys(all).length > 0, 'is empty'),
  /** Default: every number uses the first gateway, and the next one when that cannot send. */
  routes: z.array(route).min(1).optional(),
});

export { PRESET_USE, value as VALUE, WRITTEN };
export type WrittenGateway = z.output<typeof WRITTEN>;
