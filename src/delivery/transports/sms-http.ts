import { type ProxyOptions, type SearchPattern, SettingError } from '../../config';
import type { Outcome } from '../outcome';
import { namedTemplate } from '../template';
import {
  failureOutcome,
  isSuccess,
  type OnResponse,
  ProviderClient,
  type ProviderRequest,
  type ProviderResult,
  type ReachableTransport,
  type SmsMessage,
} from './provider-client';

export interface SmsHttpOptions {
  readonly url: string;
  readonly method: ProviderRequest['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the body of a 2xx response must match; a group `id` is the gateway's id. Undefined: anything. */
  readonly success: SearchPattern | undefined;
  /** What the body of a response matches, of whatever status, by which the gateway has too much. Undefined: nothing. */
  readonly busy: SearchPattern | undefined;
  readonly user: string;
  readonly password: string;
  /** Empty for none. */
  readonly bearerToken: string;
  readonly connections: number;
  readonly proxy: ProxyOptions;
  readonly onResponse?: OnResponse | undefined;
}

const PLACES = ['phone', 'digits', 'text', 'id', 'lifeSeconds', 'lifeMilliseconds'] as const;
/** A header takes no line ends and no other alphabets, so no text. */
const HEADER_PLACES = ['phone', 'digits', 'id', 'lifeSeconds', 'lifeMilliseconds'] as const;
/** Gateways take no shorter one. */
const SHORTEST_LIFE_MS = 20_000;

type Places = Readonly<Record<(typeof PLACES)[number], string>>;
/** For where an address leads. */
const SAMPLE: Places = {
  phone: '0',
  digits: '0',
  text: '0',
  id: '0',
  lifeSeconds: '0',
  lifeMilliseconds: '0',
};

/** How a value is written into a body of each media type. */
const ESCAPES: readonly (readonly [type: RegExp, escape: (value: string) => string])[] = [
  [/\bjson\b/i, (value) => JSON.stringify(value).slice(1, -1)],
  [/\bx-www-form-urlencoded\b/i, encodeURIComponent],
  [/\bxml\b/i, escapeXml],
];

/**
 * Any SMS gateway that takes a message with one HTTP request.
 *
 * @throws SettingError for an address, header or body that cannot be used
 */
export function smsHttpTransport(options: SmsHttpOptions): ReachableTransport<SmsMessage> {
  const { method, connections, proxy } = options;
  const url = namedTemplate('SMS_HTTP_URL', options.url, PLACES);
  const body = namedTemplate('SMS_HTTP_BODY', method === 'GET' ? '' : options.body, PLACES);
  const headers = Object.entries({ ...options.headers, ...authorization(options) }).map(
    ([name, value]) => [name, namedTemplate('SMS_HTTP_HEADERS', value, HEADER_PLACES)] as const,
  );
  const contentType = Object.entries(options.headers).find(([name]) => /^content-type$/i.test(name))?.[1];
  const escape = method === 'GET' ? undefined : escapeFor(contentType, options.body);
  const client = new ProviderClient(connections, proxy, options.onResponse);

  return {
    name: 'http',
    send: async (message, signal) => {
      const places = placesOf(message);
      const request = {
        url: url(escaped(places, encodeURIComponent)),
        method,
        headers: Object.fromEntries(headers.map(([name, value]) => [name, value(places)])),
        body: escape === undefined ? undefined : body(escaped(places, escape)),
        trace: message.trace,
      };
      return outcomeOf(await client.ask(request, signal), options, message);
    },
    reach: (withinMs) => client.reach(url(SAMPLE), withinMs),
    close: () => client.close(),
  };
}

function placesOf({ id, phone, text, lifeMs }: SmsMessage): Places {
  const life = Math.max(SHORTEST_LIFE_MS, Math.floor(lifeMs));
  return {
    id,
    phone,
    text,
    digits: phone.replace(/^\+/, ''),
    lifeSeconds: String(Math.floor(life / 1000)),
    lifeMilliseconds: String(life),
  };
}

/** @throws SettingError where the body holds values, and nobody knows how they are escaped in its type */
function escapeFor(contentType: string | undefined, body: string): (value: string) => string {
  const escape = ESCAPES.find(([type]) => type.test(contentType ?? ''))?.[1];
  if (escape !== undefined) return escape;
  if (PLACES.some((place) => body.includes(`{${place}}`))) {
    throw new SettingError(
      'SMS_HTTP_BODY holds values that are not escaped: give SMS_HTTP_HEADERS a Content-Type of JSON, XML or application/x-www-form-urlencoded.',
    );
  }
  return (value) => value;
}

function outcomeOf(
  result: ProviderResult,
  { success, busy }: Pick<SmsHttpOptions, 'success' | 'busy'>,
  message: SmsMessage,
): Outcome {
  if (result.kind === 'response' && busy?.find(result.body ?? '') !== undefined) {
    const { status, retryAfterMs } = result;
    const detail = gatewayCode(result.body, message);
    return { kind: 'busy', reason: { code: 'provider_busy', status, detail }, retryAfterMs, status };
  }
  if (result.kind !== 'response' || !isSuccess(result)) {
    const body = result.kind === 'response' ? result.body : undefined;
    return failureOutcome(result, gatewayCode(body, message));
  }
  const { status } = result;
  if (success === undefined) return { kind: 'sent', status };
  if (result.body === undefined) return { kind: 'unknown', reason: { code: 'answer_unreadable' }, status };
  const groups = success.find(result.body);
  if (groups !== undefined) return { kind: 'sent', providerId: groups['id']?.slice(0, 256), status };
  const detail = gatewayCode(result.body, message);
  return { kind: 'refused', reason: { code: 'success_missing', status, detail }, status };
}

/** The code of an error in a JSON response. Its texts are left out: gateways repeat numbers and messages in them. */
function gatewayCode(body: string | undefined, message: SmsMessage): string | undefined {
  const code = /"(?:error_?code|code|status|error)"\s*:\s*"?([\w.-]{1,40})["\s,}]/i.exec(body ?? '')?.[1];
  return code === undefined || isPersonal(code, message) ? undefined : code;
}

/** No code of an error has so many digits. */
const PHONE_DIGITS = 7;

/** Whether a word may be of the message: one of its text, or its number in whatever form. */
function isPersonal(word: string, { phone, text }: SmsMessage): boolean {
  if (text.split(/[^\w.-]+/).includes(word)) return true;
  const digits = word.replace(/\D/g, '');
  return digits.length >= PHONE_DIGITS || (digits.length >= 3 && phone.endsWith(digits));
}

function authorization({ user, password, bearerToken }: SmsHttpOptions): Readonly<Record<string, string>> {
  if (bearerToken !== '') return { Authorization: `Bearer ${bearerToken}` };
  if (user === '') return {};
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function escaped(places: Places, escape: (value: string) => string): Places {
  const { phone, digits, text, id, ...life } = places;
  return { ...life, phone: escape(phone), digits: escape(digits), text: escape(text), id: escape(id) };
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character);
}
