import { randomUUID } from 'node:crypto';

import type { Config } from '../config';
import { PROVIDER_CHANNELS, type ProviderChannel } from '../store';
import type { Outcome } from './outcome';
import { openWording } from './open-wording';
import { withoutSecrets } from './provider-secrets';
import { createTransports, type Reach, type Transport, type Transports } from './transports';

/** How one channel's provider can be asked. */
export interface ProviderReach extends Reach {
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
  return send(config, ({ sms }) => sms, { id: randomUUID(), phone, text });
}

/**
 * Sends a note to a device, in the words of the settings. Nothing of it is stored or counted.
 *
 * @throws SettingError for settings that it cannot be sent with
 */
export function sendTestPush(config: Config, token: string): Promise<Trial> {
  const text = openWording(config).wording.push('', TEST_NOTE);
  const message = { id: randomUUID(), token, platform: '', ...text, data: {} };
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
