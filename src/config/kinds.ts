import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';

import { isSupportedCountry } from 'libphonenumber-js/max';
import * as z from 'zod';

import { attempted, fatalMessage } from '../support/errors';
import { EXACT_KEYS, type KeyCollation, keyCollation } from '../support/key-collation';
import { parsePostgresUrl } from '../support/database-url';
import { IS_CHECKOUT } from '../support/program-name';

/** A row of the table of settings. */
export interface Setting<T = unknown> {
  /** Value if the variable is absent or empty. */
  readonly default: string;
  readonly kind: Kind<T>;
  /** One sentence for the operator. */
  readonly description: string;
  /** Keeps the value out of error texts. */
  readonly secret?: boolean;
  /** Returns the part of a secret value that may be shown; undefined shows nothing. */
  readonly shown?: (text: string) => string | undefined;
  /** Names a file that contains a secret. */
  readonly holdsSecret?: boolean;
  /**
   * Takes effect on reload, without a restart; for a setting that names a file, so do the file's contents.
   */
  readonly reloads?: boolean;
}

/** Replaces hidden values. */
const HIDDEN = '***';

/** Matches user and password before a host. */
const CREDENTIALS = /(?<=\/\/)[^\s/?#]*(?=@)/g;

/** Returns a setting's value for display: for a secret only the part that its row allows. */
export function shownValue({ secret = false, shown = () => undefined }: Setting, text: string): string {
  return secret ? (shown(text) ?? HIDDEN) : text.replace(CREDENTIALS, HIDDEN);
}

/** Returns engine, host and database, or the path for SQLite. Undefined for any other URL. */
export function shownDatabase(url: string): string | undefined {
  if (url.startsWith('sqlite:')) return url;
  if (postgresProblem(url) !== undefined) return undefined;
  const { scheme, hasUser, hosts, path } = parsePostgresUrl(url);
  return `${scheme}${hasUser ? `${HIDDEN}@` : ''}${hosts}${path}`;
}

function postgresProblem(url: string): string | undefined {
  return fatalMessage(
    attempted(() => {
      parsePostgresUrl(url);
      return [];
    }),
  );
}

/** Returns the host only: path and query of a gateway's address may contain its key. */
export function shownHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/${HIDDEN}`;
}

/** Kind of a setting's values: a description, and the schema that parses one. */
export interface Kind<T> {
  /** Completes "Allowed: ..."; copied to docs/reference/settings.md. */
  readonly allowed: string;
  readonly schema: z.ZodType<T, string>;
  /** The value names a file whose contents belong to the setting. */
  readonly isRead?: true;
  /** Returns a correction for a refused value, without repeating the value. */
  readonly advice?: (text: string) => string | undefined;
}

export function wholeNumber(least: number, most: number, unit = ''): Kind<number> {
  return {
    allowed: `whole number from ${String(least)} to ${String(most)}${unit && ` (${unit})`}`,
    schema: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number)
      .refine((value) => value >= least && value <= most),
  };
}

/** Accepts 0 as well as the numbers of {@link wholeNumber}. */
export function zeroOrWholeNumber(least: number, most: number, unit: string): Kind<number> {
  const { allowed, schema } = wholeNumber(least, most, unit);
  return { allowed: `${allowed}, or 0`, schema: z.union([z.literal('0').transform(() => 0), schema]) };
}

/** A span of time, in milliseconds. */
export const timeSpan: Kind<number> = {
  allowed: 'minutes, hours or days, such as `90m`, `6h` or `1d`, from 1 minute to 366 days',
  schema: z
    .string()
    .regex(/^[1-9]\d{0,5}[mhd]$/)
    .transform((text) => parseInt(text, 10) * (MILLISECONDS[text.slice(-1)] ?? 0))
    .refine((span) => span <= 366 * MILLISECONDS.d),
};

const MILLISECONDS: Readonly<Record<string, number>> & { readonly d: number } = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A number of processes, or one for each core. */
export const processCount: Kind<number> = {
  allowed: 'whole number from 1 to 256, or `auto` for one per core',
  schema: z.union([z.literal('auto').transform(() => availableParallelism()), wholeNumber(1, 256).schema]),
};

export const yesOrNo: Kind<boolean> = {
  allowed: '`true`, `false`',
  schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
};

export function choice<const T extends string>(...values: readonly T[]): Kind<T> {
  return { allowed: values.map((value) => `\`${value}\``).join(', '), schema: z.enum(values) };
}

/** Loading of sample data: `checkout` loads it when the service runs from its source. */
export const sampleData: Kind<boolean> = {
  allowed: '`true`, `false`, `checkout`',
  schema: z
    .enum(['true', 'false', 'checkout'])
    .transform((value) => value === 'true' || (value === 'checkout' && IS_CHECKOUT)),
};

export const port: Kind<number> = {
  allowed: 'port number from 0 to 65535; 0 picks a free one',
  schema: wholeNumber(0, 65_535).schema,
};

/** A port, or undefined for `off`. */
export const portOrOff: Kind<number | undefined> = {
  allowed: `${port.allowed}; \`off\` for none`,
  schema: z.union([z.literal('off').transform(() => undefined), port.schema]),
};

/** An address to listen on, or undefined for all addresses. */
export const listenAddress: Kind<string | undefined> = {
  allowed: 'IP address or host name; `*` for all interfaces',
  schema: z.union([z.literal('*').transform(() => undefined), z.string().regex(/^[A-Za-z0-9_.:%-]{1,255}$/)]),
};

/** A folder, as given: relative to the working directory or absolute. */
export const folder: Kind<string> = {
  allowed: 'path of a folder',
  schema: z.string().refine((text) => !text.includes('\0')),
};

export const optionalFolder: Kind<string | undefined> = {
  allowed: 'path of a folder, or empty',
  schema: optional(folder.schema),
};

/** A file that the service itself writes: only its path is a setting. */
export const writtenFile: Kind<string | undefined> = {
  allowed: 'path of a file, or empty',
  schema: optional(folder.schema),
};

export const optionalFile: Kind<string | undefined> = { ...writtenFile, isRead: true };

/** A bearer token, long enough not to be guessed. */
export const optionalBearerToken: Kind<string> = {
  allowed: '16 to 1000 visible ASCII characters, or empty',
  schema: z.string().regex(/^(?:[!-~]{16,1000})?$/),
};

/** An http or https URL without a trailing slash, or undefined if empty. */
export const optionalPublicUrl: Kind<string | undefined> = {
  allowed: '`http://` or `https://` URL without query and fragment, or empty',
  schema: optional(
    z
      .string()
      .refine(isPublicUrl)
      .transform((text) => text.replace(/(?<!\/)\/+$/, '')),
  ),
};

/** The origin of a server, such as `http://10.0.0.5:8080`, or undefined if empty. */
export const optionalServerUrl: Kind<string | undefined> = {
  allowed: '`http://` or `https://` URL without path, query and fragment, or empty',
  schema: optional(
    z
      .string()
      .refine((text) => isPublicUrl(text) && new URL(text).pathname === '/')
      .transform((text) => new URL(text).origin),
  ),
};

function isPublicUrl(text: string): boolean {
  return /^https?:\/\/[^\s<>"'?#@\\]+$/i.test(text) && URL.canParse(text);
}

export const namespaceUri: Kind<string> = {
  allowed: 'absolute URI',
  schema: z.string().refine((text) => /^[^\s<>"'&]+$/.test(text) && URL.canParse(text)),
};

export const databaseUrl: Kind<string> = {
  allowed:
    '`sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; several `HOST:PORT` separated by commas',
  schema: z.string().refine((text) => /^sqlite:[^\0]+$/.test(text) || postgresProblem(text) === undefined),
  advice: (text) => (text.startsWith('postgres') ? postgresProblem(text) : undefined),
};

export const optionalCountry = {
  allowed: 'two-letter country code such as `TR`, or empty',
  schema: optional(z.string().refine(isSupportedCountry)),
};

export const collation: Kind<KeyCollation> = {
  allowed: 'name of a SQL Server collation that distinguishes accents, such as `Turkish_CI_AS`, or empty',
  schema: z.string().transform((name, context) => {
    const found = keyCollation(name);
    if (found === undefined) context.addIssue({ code: 'custom', message: 'unknown' });
    return found ?? EXACT_KEYS;
  }),
};

/** Value of Express's "trust proxy": none, a number of hops, or addresses. */
type TrustedProxies = false | number | string[];

export const trustedProxies: Kind<TrustedProxies> = {
  allowed:
    '`off`, number of hops from 1 to 32, or a list separated by commas of addresses, CIDR ranges, `loopback`, `linklocal` and `uniquelocal`',
  schema: z.union([
    z.literal('off').transform((): TrustedProxies => false),
    wholeNumber(1, 32).schema,
    list(isAddressRange),
  ]),
};

const NAMED_RANGES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

function isAddressRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Host names without ports, or undefined for any. */
const FORWARDED_HEADERS = [
  'CloudFront-Forwarded-Proto',
  'Front-End-Https',
  'X-Forwarded-Scheme',
  'X-Forwarded-Ssl',
  'X-Original-Host',
] as const;
type ForwardedHeader = Lowercase<(typeof FORWARDED_HEADERS)[number]>;

/** Headers of proxies, in lower case. */
export const forwardedHeaders: Kind<ForwardedHeader[] | undefined> = {
  allowed: `${FORWARDED_HEADERS.map((name) => `\`${name}\``).join(', ')}, separated by commas; or empty`,
  schema: optional(
    list((part): part is (typeof FORWARDED_HEADERS)[number] =>
      FORWARDED_HEADERS.some((name) => name === part),
    ).transform(
      // The type says the same.
      (names) => names.map((name) => name.toLowerCase() as ForwardedHeader),
    ),
  ),
};

export const optionalHosts: Kind<string[] | undefined> = {
  allowed:
    'host names and addresses without ports, separated by commas, `*.NAME` for all subdomains; or empty',
  schema: optional(list(isHostPattern)),
};

function isHostPattern(text: string): boolean {
  if (/^\[[^\]]*\]$/.test(text)) return isIP(text.slice(1, -1)) === 6;
  return /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(text);
}

/** Origins of pages, in the form that browsers send. */
export const origins: Kind<string[]> = {
  allowed:
    'origins such as `https://portal.example`, `https://*.NAME` for all subdomains, separated by commas; `null`; `*` for all; or empty',
  schema: z.union([z.literal('').transform((): string[] => []), list(isOrigin)]),
};

/** Accepts only what a browser may send: an origin that never matches would look as if it were allowed. */
function isOrigin(text: string): boolean {
  if (text === '*' || text === 'null') return true;
  const plain = text.replace('://*.', '://');
  if (plain.includes('*') || !/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]*$/i.test(plain)) return false;
  // App pages have schemes of their own, and `file://` has no host.
  return !/^https?:/i.test(plain) || URL.canParse(plain);
}

export interface ClosedBinding {
  readonly operation: string;
  readonly binding: 'get' | 'post';
}

/** The names are not checked, because the operations are not known here. */
export const closedBindings: Kind<ClosedBinding[]> = {
  allowed:
    'operations with `:GET` or `:POST`, separated by commas, such as `AuthCode:GET,AuthCode:POST`; or empty',
  schema: z.union([
    z.literal('').transform((): ClosedBinding[] => []),
    list((part) => /^\w+:(?:GET|POST)$/i.test(part)).transform((parts) =>
      parts.map((part): ClosedBinding => {
        const [operation = '', verb = ''] = part.split(':');
        return { operation, binding: verb.toUpperCase() === 'GET' ? 'get' : 'post' };
      }),
    ),
  ]),
};

/** Parts separated by commas, with optional blanks. */
export function list<T extends string>(isPart: (part: string) => part is T): z.ZodType<T[], string>;
export function list(isPart: (part: string) => boolean): z.ZodType<string[], string>;
export function list(isPart: (part: string) => boolean): z.ZodType<string[], string> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => isPart(part)));
}

/** Maps empty to undefined, and leaves anything else to the inner schema. */
function optional<T>(inner: z.ZodType<T, string>): z.ZodType<T | undefined, string> {
  return z.union([z.literal('').transform(() => undefined), inner]);
}
