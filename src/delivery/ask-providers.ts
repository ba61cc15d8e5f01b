import { randomUUID } from 'node:crypto';

import { type Config, proxyOptions, type Reloadable } from '../config';
import type { ProviderChannel } from '../store';
import { tryTo } from '../support/errors';
import type { Gateway } from './gateways/gateway-file';
import { escapeXml, RequestMaker } from './gateways/request';
import { openGateway } from './gateways/sms-gateway';
import type { Outcome } from './outcome';
import type { Provider } from './senders/provider';
import type { SmsRoutes } from './senders/sms-routes';
import type { ProviderRequest, Watch } from './transports/provider-client';
import type { PushMessage, Reach, SmsMessage, Transport } from './transports/transport';
import { pushTransport, smsTransports } from './transports/transports';
import { openWording } from './wording';

/** Returns the connections that a reload reopens; file channels have none. */
export function waysToProviders(
  { SMS_CHANNEL, PUSH_CHANNEL }: Config,
  sms: SmsRoutes,
  push: Provider<PushMessage>,
): readonly Reloadable[] {
  const toGateways: Reloadable = {
    settings: ['GATEWAYS_FILE'],
    reload: (config) => sms.use(smsTransports(config)),
  };
  const toFirebase: Reloadable = {
    settings: ['FCM_SERVICE_ACCOUNT'],
    reload: (config) => push.use(pushTransport(config)),
  };
  return [...(SMS_CHANNEL === 'http' ? [toGateways] : []), ...(PUSH_CHANNEL === 'fcm' ? [toFirebase] : [])];
}

interface ProviderReach extends Reach {
  readonly channel: ProviderChannel;
  /** Name in settings and log. */
  readonly name: string;
}

/** Result of a test message. */
export interface Trial {
  readonly outcome: Outcome;
  /** Last HTTP request and response, with secrets masked; undefined if there was none. */
  readonly request:
    (Pick<ProviderRequest, 'method' | 'url' | 'headers'> & { readonly body: string }) | undefined;
  readonly answer: { readonly status: number; readonly body: string } | undefined;
}

const TEST_CODE = '000000';
const TEST_LIFE_MS = 300_000;
const TEST_NOTE = { title: 'Test', text: 'This is a test message.' };

/**
 * Checks whether the providers can be reached, without sending anything.
 *
 * @throws SettingError for settings that do not work with a provider
 */
export async function reachProviders(config: Config): Promise<readonly ProviderReach[]> {
  const all = [
    ...smsTransports({ ...config, TEST_NUMBERS: [] }).transports.map((transport) => ({
      channel: 'sms' as const,
      transport,
    })),
    { channel: 'push' as const, transport: pushTransport(config) },
  ];
  return Promise.all(
    all.map(async ({ channel, transport }) => {
      const reach = await transport.reach(config.PROVIDER_TIMEOUT_SECONDS * 1000);
      await transport.close();
      return { channel, name: transport.name, ...reach };
    }),
  );
}

/**
 * Sends the code 000000 through one gateway, with the text of the settings. Stores and counts nothing.
 *
 * @param phone - in E.164, or the digits of a national number
 * @throws SettingError for an unusable GATEWAYS_FILE
 */
export function sendTestSms(config: Config, gateway: Gateway, phone: string): Promise<Trial> {
  const { text } = openWording(config).wording.sms(phone, TEST_CODE);
  const message = { id: randomUUID(), phone, text, lifeMs: TEST_LIFE_MS };
  const hiding: Hiding = {
    // A shorter text is no secret that could be recognized in an answer.
    secrets: gateway.secrets
      .map((name) => gateway.values[name] ?? '')
      .filter(({ length }) => length >= MIN_SECRET),
    credentials: credentialHeaders(gateway),
    view: viewOf(gateway, message),
  };
  return send(config, hiding, (watch) => openGateway(gateway, proxyOptions(config), watch), message);
}

/** Returns the names of the headers that hold credentials, in lower case. */
function credentialHeaders({ authorization }: Gateway): readonly string[] {
  const named =
    authorization?.type === 'hmac'
      ? Object.keys(authorization.headers)
      : authorization !== undefined && 'name' in authorization
        ? [authorization.name]
        : [];
  return [...named, ...AUTHORIZATION].map((name) => name.toLowerCase());
}

/**
 * Returns a function that tells for each request in turn how the request for the message looks with masked
 * values.
 */
function viewOf(gateway: Gateway, message: SmsMessage): Hiding['view'] {
  const { authorization, awaited, secrets } = gateway;
  const values = Object.entries(gateway.values).map(([name, value]) => {
    const isHidden = secrets.includes(name) && !gateway.url.startsWith(`{${name}}`);
    return [name, isHidden ? MASK : value.replaceAll(awaited?.address?.secret ?? MASK, MASK)] as const;
  });
  const masked = { ...gateway, values: Object.fromEntries(values) };
  const view = tryTo(() => new RequestMaker(masked).make(message));
  // Each request for a message comes after one for its access token.
  const needsToken = authorization?.type === 'oauth' || authorization?.type === 'login';
  return (number) => (needsToken && number % 2 === 1 ? undefined : view);
}

/** @returns undefined if the gateway does not support it */
export async function askBalance(config: Config, gateway: Gateway): Promise<string | undefined> {
  const transport = openGateway(gateway, proxyOptions(config));
  const balance = await transport.balance(AbortSignal.timeout(config.PROVIDER_TIMEOUT_SECONDS * 1000));
  await transport.close();
  return balance;
}

/**
 * Sends a test note to a device, with the text of the settings. Stores and counts nothing.
 *
 * @throws SettingError for settings that cannot be used
 */
export function sendTestPush(config: Config, token: string): Promise<Trial> {
  const text = openWording(config).wording.push('', TEST_NOTE);
  const life = { lifeMs: TEST_LIFE_MS, expiresAt: Date.now() + TEST_LIFE_MS };
  const message = { id: randomUUID(), token, platform: '', ...text, data: {}, ...life };
  const hiding = { secrets: [], credentials: AUTHORIZATION, view: () => undefined };
  return send(config, hiding, (watch) => pushTransport(config, watch), message);
}

interface Hiding {
  /** Values that are masked wherever they are. */
  readonly secrets: readonly string[];
  /** Names of headers that are masked, in lower case. */
  readonly credentials: readonly string[];
  /**
   * Returns how a request looks with masked values, by its number, from 1; undefined if only `secrets` are
   * masked.
   */
  readonly view: (number: number) => Pick<ProviderRequest, 'url' | 'headers' | 'body'> | undefined;
}

async function send<Message>(
  config: Config,
  { secrets, credentials, view }: Hiding,
  open: (watch: Watch) => Transport<Message>,
  message: Message,
): Promise<Trial> {
  const hidden = [...secrets, ...proxySecrets(config)];
  const isHidden = (header: string): boolean => credentials.includes(header.toLowerCase());
  let request: Trial['request'];
  let answer: Trial['answer'];
  let requests = 0;
  const transport = open({
    request: (asked) => {
      requests += 1;
      const given = Object.entries(asked.headers).filter(([name]) => isHidden(name));
      hidden.push(
        ...given.map(([, value]) => value.replace(/^\S+ /, '')).filter((text) => text.length >= MIN_SECRET),
      );
      const seen = view(requests) ?? {
        url: masked(asked.url, hidden),
        headers: Object.fromEntries(
          Object.entries(asked.headers).map(([name, value]) => [name, masked(value, hidden)]),
        ),
        body: masked(String(asked.body ?? ''), hidden),
      };
      const shown = Object.keys(asked.headers).map(
        (name) => [name, isHidden(name) ? MASK : (seen.headers[name] ?? MASK)] as const,
      );
      // Of several requests, the last one is for the message.
      answer = undefined;
      request = {
        method: asked.method,
        url: seen.url,
        headers: Object.fromEntries<string>(shown),
        body: String(seen.body ?? ''),
      };
    },
    response: ({ status, body = '' }) => {
      answer = { status, body: masked(body, hidden) };
    },
  });
  const outcome = await transport.send(message, AbortSignal.timeout(config.PROVIDER_TIMEOUT_SECONDS * 1000));
  await transport.close();
  return { outcome, request, answer };
}

const MASK = '***';
const AUTHORIZATION = ['authorization', 'proxy-authorization'];
/**
 * Minimum length of a secret that is recognized wherever it is: a shorter one is also part of other texts.
 */
const MIN_SECRET = 4;

/** Masks secrets, whatever their escaping. */
function masked(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      escapeXml(secret),
      Buffer.from(secret).toString('base64'),
    ]);
  // Longest first: one may contain another.
  return forms
    .toSorted((a, b) => b.length - a.length)
    .reduce((all, form) => all.replaceAll(form, MASK), text);
}

/** Returns secrets of the proxy: one that refuses a request may quote its credentials. */
function proxySecrets({ HTTP_PROXY, HTTPS_PROXY }: Config): readonly string[] {
  return [HTTP_PROXY, HTTPS_PROXY]
    .filter((proxy) => URL.canParse(proxy))
    .flatMap((proxy) => {
      const { username, password } = new URL(proxy);
      const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
      return secret === '' ? [] : [password, secret, Buffer.from(`${user}:${secret}`).toString('base64')];
    });
}
