import { createHmac, randomBytes } from 'node:crypto';

import { encode } from 'iconv-lite';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

import { SettingError } from '../../config';
import { writeInGsm7 } from '../sms-parts';
import { namedTemplate } from '../template';
import type { ProviderRequest, SmsMessage } from '../transports/provider-client';
import type { Gateway } from './gateway-file';
import { MESSAGE_PLACES, SIGNED_PLACES } from './gateway-schema';

/** Minimum lifetime that gateways accept. */
const MIN_LIFE_MS = 20_000;
const MINUTE_MS = 60_000;

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
  readonly #url: Fill;
  readonly #body: Fill;
  readonly #headers: readonly (readonly [name: string, value: Fill])[];
  readonly #authorization: Values;
  readonly #sign: ((request: ProviderRequest) => Values) | undefined;

  /** @throws SettingError for a template with an unknown placeholder, or an invalid URL */
  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    const { name, charset, type } = gateway;
    const where = (field: string): string => `${field} of the gateway ${name}`;
    const template = (field: string, text: string, escape: Escape): Fill => {
      const fill = namedTemplate(where(field), text, [...MESSAGE_PLACES, ...Object.keys(gateway.values)]);
      return (values) => fill(values, escape);
    };
    // A value at the beginning of an address is itself an address.
    const [lead = '', base = ''] = /^\{([a-zA-Z]+)\}/.exec(gateway.url) ?? [];
    const start = gateway.values[base];
    const path = template(
      'url',
      start === undefined ? gateway.url : gateway.url.slice(lead.length),
      percentEncoder(charset),
    );
    this.#url = (values) => `${start ?? ''}${path(values)}`;
    refuseOddUrl(where('url'), this.#url(sampleValues(gateway)));
    this.#body = bodyTemplate(gateway, template);
    const contentType = type && `${CONTENT_TYPES[type]}${type === 'json' ? '' : `; charset=${charset}`}`;
    const headers = {
      ...(contentType !== undefined &&
        !hasHeader(gateway.headers, 'content-type') && { 'Content-Type': contentType }),
      ...gateway.headers,
    };
    this.#headers = Object.entries(headers).map(
      ([key, text]) => [key, template(`headers > ${key}`, text, asHeader)] as const,
    );
    this.#authorization = fixedAuthorization(gateway);
    this.#sign = signer(gateway);
  }

  /** Address of the gateway, for checks. */
  get address(): string {
    return this.#url(sampleValues(this.#gateway));
  }

  /** @param bearer - access token, if the gateway needs one */
  make(message: SmsMessage, bearer?: string): ProviderRequest {
    const { method, charset } = this.#gateway;
    const values = { ...this.#gateway.values, ...messageValues(message, this.#gateway) };
    const text = method === 'GET' ? undefined : this.#body(values);
    const request: ProviderRequest = {
      url: this.#url(values),
      method,
      headers: {
        ...Object.fromEntries(this.#headers.map(([name, value]) => [name, value(values)])),
        ...this.#authorization,
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      },
      body: text === undefined || charset === 'utf-8' ? text : encode(text, charset),
      trace: message.trace,
    };
    return this.#sign === undefined
      ? request
      : { ...request, headers: { ...request.headers, ...this.#sign(request) } };
  }
}

function messageValues({ id, phone, text, lifeMs }: SmsMessage, { number, alphabet }: Gateway) {
  const life = Math.max(MIN_LIFE_MS, Math.floor(lifeMs));
  // Rounded up: a gateway that counts minutes must not end the code early.
  const minutes = Math.ceil(life / MINUTE_MS);
  return {
    id,
    phone: writeNumber(phone, number),
    text: alphabet === 'gsm7' ? writeInGsm7(text) : text,
    lifeSeconds: String(Math.floor(life / 1000)),
    lifeMinutes: String(minutes),
    lifeMilliseconds: String(life),
    lifeHoursMinutes: [minutes / 60, minutes % 60]
      .map((each) => String(Math.floor(each)).padStart(2, '0'))
      .join(':'),
  } satisfies Record<(typeof MESSAGE_PLACES)[number], string>;
}

/** Formats a number; one without a known country is unchanged. */
function writeNumber(phone: string, form: Gateway['number']): string {
  if (form === 'e164') return phone;
  if (form === 'digits') return phone.replace(/^\+/, '');
  const number = parsePhoneNumberFromString(phone);
  if (number === undefined) return phone.replace(/^\+/, '');
  return form === 'national' ? number.formatNational().replace(/\D/g, '') : number.nationalNumber;
}

function sampleValues({ values }: Gateway): Values {
  return { ...values, ...Object.fromEntries(MESSAGE_PLACES.map((place) => [place, '0'])) };
}

/** Compiles the body with its placeholders; each value is escaped according to the body's type. */
function bodyTemplate(
  { body: given = '', type, charset, receiptAddress }: Gateway,
  template: (field: string, text: string, escape: Escape) => Fill,
): Fill {
  const percent = percentEncoder(charset);
  if (typeof given === 'string') {
    const escape = { json: escapeJson, form: percent, xml: escapeXml }[type ?? 'json'];
    return template('body', given, escape);
  }
  const body = receiptAddress === undefined ? withoutReceiptUrl(given) : given;
  if (type === 'form') {
    const fields = Object.entries(body).map(
      ([name, text]) =>
        [name, template(`body > ${name}`, typeof text === 'string' ? text : '', (value) => value)] as const,
    );
    return (values) => fields.map(([name, fill]) => `${percent(name)}=${percent(fill(values))}`).join('&');
  }
  // JSON interfaces expect a lifetime as a number.
  const text = JSON.stringify(body).replace(/"(\{life(?:Seconds|Minutes|Milliseconds)\})"/g, '$1');
  return template('body', text, escapeJson);
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

function refuseOddUrl(where: string, url: string): void {
  if (/^https?:\/\/\S+$/i.test(url) && URL.canParse(url)) return;
  throw new SettingError(`GATEWAYS_FILE: ${where} is not an http:// or https:// URL.`);
}

/** Fills in a text without data of a message. */
export function fixedText({ name, values }: Gateway, field: string, text: string): string {
  return namedTemplate(`${field} of the gateway ${name}`, text, Object.keys(values))(values);
}

function fixedAuthorization(gateway: Gateway): Values {
  const { authorization } = gateway;
  const fixed = (text: string): string => fixedText(gateway, 'authorization', text);
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
 * Returns a function that signs a request by HMAC, if the gateway requires it, and returns the headers with the
 * signature.
 */
function signer(gateway: Gateway): ((request: ProviderRequest) => Values) | undefined {
  const { authorization, name, values } = gateway;
  if (authorization?.type !== 'hmac') return undefined;
  const key = fixedText(gateway, 'authorization', authorization.key);
  const names = [...SIGNED_PLACES, ...Object.keys(values)];
  const over = namedTemplate(`over of the gateway ${name}`, authorization.over, names);
  const headers = Object.entries(authorization.headers).map(
    ([header, text]) =>
      [header, namedTemplate(`${header} of the gateway ${name}`, text, [...names, 'signature'])] as const,
  );
  return ({ method, url, body }) => {
    const now = Date.now();
    const { pathname, search } = new URL(url);
    const parts = {
      ...values,
      method,
      url,
      path: pathname,
      query: search.slice(1),
      body: body === undefined ? '' : Buffer.from(body).toString('latin1'),
      timestamp: String(Math.floor(now / 1000)),
      timestampMs: String(now),
      nonce: randomBytes(16).toString('hex'),
    };
    const signed = over(parts);
    const signature = createHmac(authorization.algorithm, key)
      .update(signed, 'latin1')
      .digest(authorization.encoding);
    return Object.fromEntries(headers.map(([header, fill]) => [header, fill({ ...parts, signature })]));
  };
}
