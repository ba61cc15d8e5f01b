import { createHash, createHmac, randomBytes } from 'node:crypto';

import { encode } from 'iconv-lite';

import { SettingError } from '../../config';
import { MINUTE_MS } from '../../support/durations';
import { parseInternational } from '../../support/phones';
import { smsParts, writeInGsm7 } from '../sms-parts';
import { namedTemplate } from '../template';
import type { ProviderRequest } from '../transports/provider-client';
import type { SmsMessage } from '../transports/transport';
import type { Gateway } from './gateway-file';
import { MESSAGE_PLACES, SIGNED_PLACES } from './gateway-schema';

/** For requests that send nothing. */
export const NO_MESSAGE: SmsMessage = { id: '', phone: '', text: '', lifeMs: 0 };
/** Minimum lifetime that gateways accept. */
const MIN_LIFE_MS = 20_000;
const DATE_PARTS = ['yyyy', 'MM', 'dd', 'HH', 'mm', 'ss'];

type Values = Readonly<Record<string, string>>;
type Fill = (values: Values) => string;
type Escape = (text: string) => string;

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'application/xml',
} as const;

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Creates the requests that send SMS through one gateway. */
export class RequestMaker {
  readonly #gateway: Gateway;
  /** Placeholders of a message that the templates contain. */
  readonly #places = new Set<MessagePlace>();
  readonly #url: Fill;
  readonly #body: Fill;
  readonly #headers: readonly (readonly [name: string, value: Fill])[];
  readonly #authorization: Values;
  readonly #sign: ((request: ProviderRequest) => Values) | undefined;

  /** @throws SettingError for a template with an unknown placeholder, or an invalid URL */
  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    const { charset, type } = gateway;
    const template = (field: readonly string[], text: string, escape: Escape): Fill => {
      const [place] = /\{\{[A-Za-z][A-Za-z0-9]*\}\}/.exec(text) ?? [];
      if (place !== undefined)
        throw new SettingError(`${gateway.where(...field)}: write ${place.slice(1, -1)}, not ${place}.`);
      for (const each of MESSAGE_PLACES) if (text.includes(`{${each}}`)) this.#places.add(each);
      const names = [...MESSAGE_PLACES, ...Object.keys(gateway.values)];
      const fill = namedTemplate(gateway.where(...field), text, names);
      return (values) => fill(values, escape);
    };
    // A value at the beginning of an address is itself an address.
    const [lead = '', base = ''] = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(gateway.url) ?? [];
    const start = gateway.values[base];
    const path = template(
      ['url'],
      start === undefined ? gateway.url : gateway.url.slice(lead.length),
      percentEncoder(charset),
    );
    this.#url = (values) => `${start ?? ''}${path(values)}`;
    refuseOddUrl(gateway.where('url'), this.#url(sampleValues(gateway)));
    this.#body = bodyTemplate(gateway, template);
    const contentType = type && `${CONTENT_TYPES[type]}${type === 'json' ? '' : `; charset=${charset}`}`;
    const headers = {
      ...(contentType !== undefined &&
        !hasHeader(gateway.headers, 'content-type') && { 'Content-Type': contentType }),
      ...gateway.headers,
    };
    this.#headers = Object.entries(headers).map(
      ([key, text]) => [key, template(['headers', key], text, asHeader)] as const,
    );
    this.#authorization = fixedAuthorization(gateway);
    this.#sign = signer(gateway);
  }

  get address(): string {
    return this.#url(sampleValues(this.#gateway));
  }

  /** @param access - header with the access token, if the gateway needs one */
  make(message: SmsMessage, access: Values = {}): ProviderRequest {
    const { method, charset } = this.#gateway;
    const values = this.#values(message);
    const text = method === 'GET' ? undefined : this.#body(values);
    const headers: Record<string, string> = {};
    for (const [name, value] of this.#headers) headers[name] = value(values);
    const request: ProviderRequest = {
      url: this.#url(values),
      method,
      headers: Object.assign(headers, this.#authorization, access),
      body: text === undefined || charset === 'utf-8' ? text : encode(text, charset),
      trace: message.trace,
    };
    return this.#sign === undefined
      ? request
      : { ...request, headers: { ...request.headers, ...this.#sign(request) } };
  }

  #values({ id, phone, text, lifeMs }: SmsMessage): Values {
    const written: WrittenMessage = {
      ...{ id, phone, text: this.#gateway.alphabet === 'gsm7' ? writeInGsm7(text) : text },
      ...{ now: Date.now(), life: Math.max(MIN_LIFE_MS, Math.floor(lifeMs)) },
    };
    const values: Record<string, string> = { ...this.#gateway.values };
    for (const place of this.#places) values[place] = MESSAGE_VALUES[place](written, this.#gateway);
    return values;
  }
}

type MessagePlace = (typeof MESSAGE_PLACES)[number];

/** A message as its placeholders show it; times in milliseconds. */
interface WrittenMessage extends Pick<SmsMessage, 'id' | 'phone' | 'text'> {
  readonly now: number;
  readonly life: number;
}

/** Values of the placeholders; each is made only for gateways that use it. */
const MESSAGE_VALUES: Readonly<Record<MessagePlace, (message: WrittenMessage, gateway: Gateway) => string>> =
  {
    id: ({ id }) => id,
    phone: ({ phone }, { number }) => writeNumber(phone, number),
    text: ({ text }) => text,
    textHex: ({ text }) => Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase(),
    textBase64: ({ text }) => Buffer.from(text).toString('base64'),
    textEncoding: ({ text }, { encodings }) =>
      smsParts(text).encoding === 'GSM-7' ? encodings.gsm7 : encodings.unicode,
    now: ({ now }, { dates }) => writeTime(now, dates),
    expiresAt: ({ now, life }, { dates }) => writeTime(now + life, dates),
    expiresAtSeconds: ({ now, life }) => String(Math.floor((now + life) / 1000)),
    lifeSeconds: ({ life }) => String(Math.floor(life / 1000)),
    lifeMinutes: ({ life }) => String(toMinutes(life)),
    lifeMilliseconds: ({ life }) => String(life),
    lifeHoursMinutes: ({ life }) =>
      [toMinutes(life) / 60, toMinutes(life) % 60]
        .map((each) => String(Math.floor(each)).padStart(2, '0'))
        .join(':'),
  };

/** Rounds up: a gateway that counts minutes must not end the code early. */
function toMinutes(life: number): number {
  return Math.ceil(life / MINUTE_MS);
}

/** Writes a time in a format such as `ddMMyyyyHHmm`, in a time zone. */
function writeTime(time: number, { format, offset }: Gateway['dates']): string {
  const [hours = 0, minutes = 0] = offset.split(':').map((part) => Number(part.replace(/[+-]/, '')));
  const shift = (hours * 60 + minutes) * MINUTE_MS * (offset.startsWith('-') ? -1 : 1);
  const parts = new Date(time + shift).toISOString().split(/\D/);
  return format.replace(/yyyy|MM|dd|HH|mm|ss/g, (part) => parts[DATE_PARTS.indexOf(part)] ?? part);
}

/** Formats a number; one without a known country is unchanged. */
function writeNumber(phone: string, form: Gateway['number']): string {
  if (form === 'e164') return phone;
  if (form === 'digits') return phone.replace(/^\+/, '');
  const number = parseInternational(phone);
  if (number === undefined) return phone.replace(/^\+/, '');
  return form === 'national' ? number.formatNational().replace(/\D/g, '') : number.nationalNumber;
}

function sampleValues({ values }: Gateway): Values {
  return { ...values, ...Object.fromEntries(MESSAGE_PLACES.map((place) => [place, '0'])) };
}

/** Compiles the body with its placeholders; each value is escaped according to the body's type. */
function bodyTemplate(
  gateway: Gateway,
  template: (field: readonly string[], text: string, escape: Escape) => Fill,
): Fill {
  const { body: given = '', type, charset, awaited } = gateway;
  const percent = percentEncoder(charset);
  if (typeof given === 'string') {
    const escape = { json: escapeJson, form: percent, xml: escapeXml }[type ?? 'json'];
    const fill = template(['body'], given, escape);
    refuseOddBody(gateway, fill({ ...sampleValues(gateway), text: 'x' }));
    return fill;
  }
  const body = awaited?.address === undefined ? withoutReceiptUrl(given) : given;
  if (type === 'form') {
    const fields = Object.entries(body).map(
      ([name, text]) =>
        [name, template(['body', name], typeof text === 'string' ? text : '', (value) => value)] as const,
    );
    return (values) => fields.map(([name, fill]) => `${percent(name)}=${percent(fill(values))}`).join('&');
  }
  // JSON interfaces expect these as numbers.
  const text = JSON.stringify(body).replace(
    /"(\{(?:life(?:Seconds|Minutes|Milliseconds)|expiresAtSeconds)\})"/g,
    '$1',
  );
  return template(['body'], text, escapeJson);
}

/** Removes the fields that request receipts, and the objects that contained nothing else. */
function withoutReceiptUrl<T>(body: T): T {
  const text = JSON.stringify(body);
  if (!text.includes('"{receiptUrl}"')) return body;
  const isLeftOut = (value: unknown): boolean =>
    value === '{receiptUrl}' ||
    (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0);
  // The same type, with fewer fields.
  return JSON.parse(text, (_name, value: unknown) => (isLeftOut(value) ? undefined : value)) as T;
}

function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Escapes a text for an element or attribute. */
export function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character);
}

/** Returns the encoder for values in a query or a form: the bytes of the charset, with %20 for a blank. */
function percentEncoder(charset: Gateway['charset']): Escape {
  if (charset === 'utf-8') return encodeURIComponent;
  return (value) =>
    Array.from(encode(value, charset), (byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }).join('');
}

/** Replaces characters that end a header, or are not Latin-1, by question marks. */
function asHeader(value: string): string {
  return value.replace(/[^\x20-\x7e\xa0-\xff]/g, '?');
}

function hasHeader(headers: Values, name: string): boolean {
  return Object.keys(headers).some((each) => each.toLowerCase() === name);
}

/** @throws SettingError for a text that is not an http:// or https:// URL */
export function refuseOddUrl(where: string, url: string): void {
  if (/^https?:\/\/\S+$/i.test(url) && URL.canParse(url)) return;
  throw new SettingError(`${where} is not an http:// or https:// URL.`);
}

/** @param body - text of a body with sample values */
function refuseOddBody({ type, where }: Gateway, body: string): void {
  if (body === '' || type !== 'json') return;
  try {
    JSON.parse(body);
  } catch {
    throw new SettingError(
      `${where('body')} is not valid JSON; text placeholders need quotes, as in "{text}".`,
    );
  }
}

/** Fills in a text without data of a message. */
export function fixedText({ values, where }: Gateway, field: readonly string[], text: string): string {
  return namedTemplate(where(...field), text, Object.keys(values))(values);
}

function fixedAuthorization(gateway: Gateway): Values {
  const { authorization } = gateway;
  const fixed = (text: string): string => fixedText(gateway, ['authorization'], text);
  switch (authorization?.type) {
    case 'basic': {
      const pair = `${fixed(authorization.user)}:${fixed(authorization.password)}`;
      return { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    case 'bearer':
      return { Authorization: `Bearer ${fixed(authorization.token)}` };
    case 'header':
      return { [authorization.name]: fixed(authorization.value) };
    default:
      return {};
  }
}

/**
 * Returns a function that signs a request, if the gateway requires it, and returns the headers with the
 * signature.
 */
function signer(gateway: Gateway): ((request: ProviderRequest) => Values) | undefined {
  const { authorization, values, where } = gateway;
  if (authorization?.type !== 'hmac') return undefined;
  const { algorithm, encoding, keyEncoding } = authorization;
  const key =
    authorization.key === undefined
      ? undefined
      : Buffer.from(fixedText(gateway, ['authorization', 'key'], authorization.key), keyEncoding);
  const names = [...SIGNED_PLACES, ...Object.keys(values)];
  const over = namedTemplate(where('authorization', 'over'), authorization.over, names);
  const headers = Object.entries(authorization.headers).map(
    ([header, text]) =>
      [
        header,
        namedTemplate(where('authorization', 'headers', header), text, [...names, 'signature']),
      ] as const,
  );
  return ({ method, url, body = '' }) => {
    const now = Date.now();
    const { pathname, search, host } = new URL(url);
    const parts = {
      ...values,
      method,
      url,
      host,
      path: pathname,
      query: search.slice(1),
      body: Buffer.from(body).toString('latin1'),
      bodyDigest: createHash(algorithm).update(body).digest(encoding),
      timestamp: String(Math.floor(now / 1000)),
      timestampMs: String(now),
      date: new Date(now).toUTCString(),
      isoDate: new Date(now).toISOString(),
      nonce: randomBytes(16).toString('hex'),
    };
    const hash = key === undefined ? createHash(algorithm) : createHmac(algorithm, key);
    const signature = hash.update(over(parts), 'latin1').digest(encoding);
    return Object.fromEntries(headers.map(([header, fill]) => [header, fill({ ...parts, signature })]));
  };
}
