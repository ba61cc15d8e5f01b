import type { Config } from '../config';
import { reachProviders, sendTestPush, sendTestSms, type Trial } from '../delivery';
import { OperatorError } from '../support/errors';
import { readPhone } from '../phones';
import { maskPhone, maskToken } from '../privacy';
import type { Section } from '../admin/reports';
import type { ProviderChannel } from '../store';

/** What each provider's messages are called, and the settings that name it. */
const WORDS: Readonly<Record<ProviderChannel, { readonly name: string; readonly settings: string }>> = {
  sms: { name: 'SMS', settings: 'SMS_HTTP_URL' },
  push: { name: 'push messages', settings: 'FCM_SERVICE_ACCOUNT, FCM_TOKEN_URL and FCM_URL' },
};

/** Most characters of a provider's answer that are shown. */
const SHOWN_CHARACTERS = 2000;

/** Whether the providers can be asked; sends nothing. */
export async function checkProviders(config: Config): Promise<Section> {
  const title = 'Providers';
  if (config.ROLE === 'web') {
    return { title, rows: [['none', 'this process delivers nothing (ROLE=web)']], findings: [] };
  }
  try {
    const providers = await reachProviders(config);
    return {
      title,
      rows: providers.map(({ channel, name, isReached, what }) => [
        `${channel} (${name})`,
        isReached ? what : 'not reached',
      ]),
      findings: providers
        .filter(({ isReached }) => !isReached)
        .map(({ channel, what }) => ({
          level: 'error',
          message: `${WORDS[channel].name} cannot be sent: ${what} Look at ${WORDS[channel].settings}, and at the network.`,
        })),
    };
  } catch (error) {
    // It is among what is found before.
    if (error instanceof OperatorError) return { title, rows: [['none', 'not asked']], findings: [] };
    throw error;
  }
}

/** Sends one SMS to a number, as a person writes it. */
export async function trySms(config: Config, number: string): Promise<Section> {
  const phone = readPhone(number, config.DEFAULT_COUNTRY);
  if (phone === undefined) {
    const message = 'what --sms names is no telephone number; begin it with + and the code of its country';
    return { title: 'Test SMS', rows: [], findings: [{ level: 'error', message }] };
  }
  return attempt(`Test SMS to ${maskPhone(phone)} (${config.SMS_CHANNEL})`, () => sendTestSms(config, phone));
}

/** Sends one push message to a device. */
export function tryPush(config: Config, token: string): Promise<Section> {
  const title = `Test push message to ${maskToken(token)} (${config.PUSH_CHANNEL})`;
  return attempt(title, () => sendTestPush(config, token));
}

async function attempt(title: string, send: () => Promise<Trial>): Promise<Section> {
  try {
    const { outcome, answer } = await send();
    const body = answer?.body.slice(0, SHOWN_CHARACTERS) ?? '';
    return {
      title,
      rows: [
        ...(answer === undefined ? [] : [['answer', `${String(answer.status)} ${body}`.trim()]]),
        ...(outcome.kind === 'sent'
          ? [
              ['outcome', 'sent'],
              ['id', outcome.providerId ?? 'none'],
            ]
          : [['outcome', outcome.kind]]),
      ],
      findings:
        outcome.kind === 'sent'
          ? []
          : [
              {
                level: 'error',
                message: `the test message was not sent: ${'reason' in outcome ? outcome.reason : outcome.kind}`,
              },
            ],
    };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { title, rows: [], findings: [{ level: 'error', message: `nothing was sent: ${error.message}` }] };
  }
}
