import * as z from 'zod';

import { SearchPattern } from '../../config/patterns';

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
      xml: z
        .string()
        .regex(/^[^/\s]+(\/[^/\s]+)*$/, 'is not a path below the root such as main/code or sms/@id'),
    }),
    z.strictObject({ pattern }),
  ],
  'must be {"json": "/pointer"}, {"xml": "path/of/elements"} or {"pattern": "(?<value>...)"}',
);
/** The place of a list; a text is a JSON pointer. */
export const list = z.union(
  [POINTER.transform((json) => ({ json })), place],
  'is not a JSON pointer such as /jobs, {"xml": "path/of/elements"} or {"pattern": "(?<value>...)"}',
);
/** Accepts a single value in place of a list. */
function asList(given: unknown): unknown {
  return Array.isArray(given) ? given : [given];
}

/** A code of an answer; providers that write it as a number may be quoted so. */
export const code = z
  .union([z.string(), z.number()], 'must be text')
  .transform(String)
  .refine(({ length }) => length > 0 && length <= 60, 'must have 1 to 60 characters');
export const oneOrMore = <T extends z.ZodType>(each: T) => z.preprocess(asList, z.array(each).min(1));

/** Places to search in order; the first non-empty one is used. */
export const places = z.preprocess(asList, z.array(place).min(1));
export type AnswerPlace = z.output<typeof place>;

export const method = z.enum(['POST', 'PUT', 'GET']);

/** Escaping of values. */
const bodyType = z.enum(['json', 'form', 'xml']);
interface RequestFields {
  readonly headers: Readonly<Record<string, string>>;
  readonly type?: z.output<typeof bodyType> | undefined;
  readonly body?: z.output<typeof body> | undefined;
  readonly method: z.output<typeof method>;
}

/** Values of Content-Type that fit a type; some providers read JSON or XML from plain text. */
const MEDIA_TYPES = { json: /json|text\/plain/i, form: /x-www-form-urlencoded/i, xml: /xml|text\/plain/i };
/** A template, the fields of a form, or any JSON with templates as texts. */
const body = z.union(
  [z.string(), z.record(z.string(), z.json()), z.array(z.json())],
  'must be text, an object or a list',
);
export const REQUEST = {
  url: z.string().min(1),
  headers: headers.default({}),
  type: bodyType.optional(),
  body: body.optional(),
};

export const authorizations = [
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
    /** Without a key, `over` contains the secret, and its plain digest is the signature. */
    key: z.string().optional(),
    keyEncoding: z.enum(['utf8', 'base64', 'hex']).default('utf8'),
    /** Template of the text to sign. */
    over: z.string().min(1),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    headers: headers.refine(
      (all) => Object.values(all).some((each) => each.includes('{signature}')),
      'must contain {signature}',
    ),
  }),
  z.strictObject({
    type: z.literal('login'),
    request: z.strictObject({ ...REQUEST, method: method.default('POST') }),
    token: places,
    lifeSeconds: z.int().min(60).max(31_536_000).default(300),
    name: z.string().min(1).default('Authorization'),
    value: z.string().includes('{accessToken}').default('Bearer {accessToken}'),
  }),
] as const;
const TYPES_OF_AUTHORIZATION = authorizations.map(({ shape }) => shape.type.value).join(', ');
export const authorization = z.discriminatedUnion(
  'type',
  authorizations,
  `must be one of ${TYPES_OF_AUTHORIZATION}`,
);
export type Authorization = z.output<typeof authorization>;

/** A request that sends nothing; its authorization is the gateway's own unless it names another. */
export const furtherRequest = z.strictObject({
  ...REQUEST,
  method: method.default('GET'),
  authorization: authorization.optional(),
});
export type FurtherRequest = z.output<typeof furtherRequest>;

/** Describes what is wrong with the body, if anything. */
export function bodyProblem({ body: sent, type, method: by }: RequestFields): string | undefined {
  if (by === 'GET') return sent === undefined ? undefined : 'cannot be sent by GET';
  if (sent === undefined) return 'is missing; for an empty one, write "body": ""';
  if (sent === '') return undefined;
  if (type === undefined) return 'needs "type": "json", "form" or "xml"';
  if (typeof sent === 'string') return undefined;
  if (type === 'xml') return 'must be text for "type": "xml"';
  const isForm = !Array.isArray(sent) && Object.values(sent).every((each) => typeof each === 'string');
  return type === 'form' && !isForm ? 'must have text for each field of a form' : undefined;
}

/** Describes what is wrong with the media type, if anything. */
export function contentTypeProblem({ headers: given, type }: RequestFields): string | undefined {
  const [, contentType] = Object.entries(given).find(([name]) => /^content-type$/i.test(name)) ?? [];
  if (contentType === undefined || type === undefined || MEDIA_TYPES[type].test(contentType))
    return undefined;
  return `have a Content-Type that does not match "type": "${type}"`;
}
