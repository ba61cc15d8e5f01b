import { randomUUID } from 'node:crypto';

import type { Config, Reloadable } from '../config';
import { PROVIDER_CHANNELS, type ProviderChannel } from '../store';
import type { Outcome } from './outcome';
import type { Provider } from './senders/provider';
import type { PushMessage, Reach, SmsMessage, Transport } from './transports/provider-client';
import { createTransports, pushTransport, smsTransport, type Transports } from './transports/transports';
import { openWording } from './wording';

/** Shorter pieces of a request are in most answers anyhow. */
const SHORTEST_PIECE = 6;
/** Behind what a value in JSON, a form, XML or a query stands. */
const VALUE = /[=:>]\s*["']?([^"'&,;<>{}\s]+)/g;
/** What an address has behind its host. */
const PATH = /^[a-z]+:\/\/[^/?#]*/i;

/**
 * A provider's answer without the secrets of the settings that it may repeat: those that are secrets as a whole, and
 * all values in the address, headers and body of a request to the gateway.
 */
function withoutSecrets(text: string, config: Config): string {
  const { SMS_HTTP_USER: user, SMS_HTTP_PASSWORD: password, SMS_HTTP_TOKEN: token } = config;
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const inUrl = config.SMS_HTTP_URL.replace(PATH, '').split(/[/?&=#]/);
  const inUserInfo = /^[a-z]+:\/\/([^/?#]*)@/i.exec(config.SMS_HTTP_URL)?.[1]?.split(':') ?? [];
  const inHeaders = Object.values(config.SMS_HTTP_HEADERS).flatMap((value) => value.split(' '));
  const inBody = [...config.SMS_HTTP_BODY.matchAll(VALUE)].map(([, value = '']) => value);
  const pieces = [...inUrl, ...inUserInfo, ...inHeaders, ...inBody].filter(
    (piece) => piece.length >= SHORTEST_PIECE && !piece.includes('{') && !/^[a-z]+\/[a-z-]+/.test(piece),
  );
  // The longest first: one may be part of another.
  const secrets = [password, token, basic, ...pieces, ...proxySecrets(config)].filter(
    (secret) => secret !== '',
  );
  return secrets
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** A proxy that refuses a request may repeat it, with what it was sent to be let through. */
function proxySecrets({ OUTBOUND_PROXY, HTTP_PROXY, HTTPS_PROXY }: Config): readonly string[] {
  return [OUTBOUND_PROXY, HTTP_PROXY, HTTPS_PROXY]
    .filter((proxy) => URL.canParse(proxy))
    .flatMap((proxy) => {
      const { username, password } = new URL(proxy);
      const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
      return secret === '' ? [] : [password, secret, Buffer.from(`${user}:${secret}`).toString('base64')];
    });
}

/** What a request to the gateway is made of, as far as it can be taken anew. */
const GATEWAY_SETTINGS = [
  'SMS_HTTP_URL',
  'SMS_HTTP_HEADERS',
  'SMS_HTTP_BODY',
  'SMS_HTTP_USER',
  'SMS_HTTP_PASSWORD',
  'SMS_HTTP_TOKEN',
] as const;

/** The ways to the providers, as far as there are any; files have nothing that could be taken anew. */
export function waysToProviders(
  { SMS_CHANNEL, PUSH_CHANNEL }: Config,
  sms: Provider<SmsMessage>,
  push: Provider<PushMessage>,
): readonly Reloadable[] {
  const toGateway: Reloadable = {
    settings: GATEWAY_SETTINGS,
    reload: (config) => {
      sms.use(smsTransport(config));
    },
  };
  const toFirebase: Reloadable = {
    settings: ['FCM_SERVICE_ACCOUNT'],
    reload: (config) => {
      push.use(pushTransport(config));
    },
  };
  return [...(SMS_CHANNEL === 'http' ? [toGateway] : []), ...(PUSH_CHANNEL === 'fcm' ? [toFirebase] : [])];
}

/** How one channel's provider can be asked. */
interface ProviderReach extends Reach {
  readonly channel: ProviderChannel;
  /** As it is called in settings and log. */
  readonly name: string;
}

/** What became of one message that was sent to try a provider. */
export interface Trial {
  readonly outcome: Outcome;
  /** What the provider answered over HTTP, without secrets of the settings; undefined where it did not. */
  readonly answer: { readonly status: number; readonly body: string } | undefined;
}

/** A code that nobody waits for. */
const TEST_CODE = '000000';
const TEST_LIFE_MS = 300_000;
const TEST_NOTE = { title: 'Test', text: 'This is a test message.' };

/**
 * Finds out whether the providers can be asked, and sends nothing.
 *
 * @throws SettingError for settings that they cannot work with
 */
export async function reachProviders(config: Config): Promise<readonly ProviderReach[]> {
  const transports = createTransports(config);
  return Promise.all(
    PROVIDER_CHANNELS.map(async (channel) => {
      const transport = transports[channel];
      const reach = await transport.reach(config.PROVIDER_TIMEOUT_SECONDS * 1000);
      await transport.close();
      return { channel, name: transport.name, ...reach };
    }),
  );
}

/**
 * Sends a code that nobody waits for, in the words of the settings. Nothing of it is stored or counted.
 *
 * @param phone - in E.164, or the digits of a national number
 * @throws SettingError for settings that it cannot be sent with
 */
export function sendTestSms(config: Config, phone: string): Promise<Trial> {
  const { text } = openWording(config).wording.sms(phone, TEST_CODE);
  return send(config, ({ sms }) => sms, { id: randomUUID(), phone, text, lifeMs: TEST_LIFE_MS });
}

/**
 * Sends a note to a device, in the words of the settings. Nothing of it is stored or counted.
 *
 * @throws SettingError for settings that it cannot be sent with
 */
export function sendTestPush(config: Config, token: string): Promise<Trial> {
  const text = openWording(config).wording.push('', TEST_NOTE);
  const life = { lifeMs: TEST_LIFE_MS, expiresAt: Date.now() + TEST_LIFE_MS };
  const message = { id: randomUUID(), token, platform: '', ...text, data: {}, ...life };
  return send(config, ({ push }) => push, message);
}

async function send<Message>(
  config: Config,
  choose: (transports: Transports) => Transport<Message>,
  message: Message,
): Promise<Trial> {
  let answer: Trial['answer'];
  const transport = choose(
    createTransports(config, ({ status, body = '' }) => {
      answer = { status, body: withoutSecrets(body, config) };
    }),
  );
  const outcome = await transport.send(message, AbortSignal.timeout(config.PROVIDER_TIMEOUT_SECONDS * 1000));
  await transport.close();
  return { outcome, answer };
}
