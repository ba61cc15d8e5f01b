import { randomUUID } from 'node:crypto';

import { type Config, proxyOptions, type Reloadable } from '../config';
import type { ProviderChannel } from '../store';
import type { Gateway } from './gateways/gateway-file';
import { escapeXml } from './gateways/request';
import { openGateway } from './gateways/sms-gateway';
import type { Outcome } from './outcome';
import type { Provider } from './senders/provider';
import type { SmsRoutes } from './senders/sms-routes';
import type { ProviderRequest, PushMessage, Reach, Transport, Watch } from './transports/provider-client';
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
  const { authorization } = gateway;
  const hidden = {
    secrets: gateway.secrets,
    tokenHeader: authorization?.type === 'login' ? authorization.name : undefined,
  };
  return send(config, hidden, (watch) => openGateway(gateway, proxyOptions(config), watch), message);
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
  return send(config, { secrets: [] }, (watch) => pushTransport(config, watch), message);
}

async function send<Message>(
  config: Config,
  {
    secrets,
    tokenHeader,
  }: { readonly secrets: readonly string[]; readonly tokenHeader?: string | undefined },
  open: (watch: Watch) => Transport<Message>,
  message: Message,
): Promise<Trial> {
  const hidden = [...secrets, ...proxySecrets(config)];
  const isHidden = (header: string): boolean =>
    AUTHORIZATION.test(header) || header.toLowerCase() === tokenHeader?.toLowerCase();
  let request: Trial['request'];
  let answer: Trial['answer'];
  const transport = open({
    request: ({ method, url, headers, body }) => {
      const credentials = Object.entries(headers).filter(([name]) => isHidden(name));
      hidden.push(...credentials.map(([, value]) => value.replace(/^\S+ /, '')));
      const shown = Object.entries(headers).map(
        ([name, value]) => [name, isHidden(name) ? MASK : masked(value, hidden)] as const,
      );
      // Of several requests, the last one is for the message.
      answer = undefined;
      request = {
        method,
        url: masked(url, hidden),
        headers: Object.fromEntries<string>(shown),
        body: masked(String(body ?? ''), hidden),
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
const AUTHORIZATION = /^(?:proxy-)?authorization$/i;

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
function proxySecrets({ OUTBOUND_PROXY, HTTP_PROXY, HTTPS_PROXY }: Config): readonly string[] {
  return [OUTBOUND_PROXY, HTTP_PROXY, HTTPS_PROXY]
    .filter((proxy) => URL.canParse(proxy))
    .flatMap((proxy) => {
      const { username, password } = new URL(proxy);
      const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
      return secret === '' ? [] : [password, secret, Buffer.from(`${user}:${secret}`).toString('base64')];
    });
}
