import { type Config, outboxFile, proxyOptions, SettingError } from '../../config';
import type { OnResponse } from './provider-client';
import type { PushMessage, ReachableTransport, SmsMessage, Transport } from './transport';
import { readServiceAccount } from './fcm-access';
import { pushFileTransport, smsFileTransport } from './files';
import { pushFcmTransport } from './push-fcm';
import { smsHttpTransport } from './sms-http';

type Make<Message> = (config: Config, onResponse: OnResponse | undefined) => ReachableTransport<Message>;

const SMS_TRANSPORTS: Readonly<Record<Config['SMS_CHANNEL'], Make<SmsMessage>>> = {
  file: (config) => smsFileTransport(outboxFile(config, 'sms')),
  http: (config, onResponse) => {
    if (config.SMS_HTTP_URL === '') throw new SettingError('SMS_CHANNEL=http needs SMS_HTTP_URL.');
    return smsHttpTransport({
      url: config.SMS_HTTP_URL,
      method: config.SMS_HTTP_METHOD,
      headers: config.SMS_HTTP_HEADERS,
      body: config.SMS_HTTP_BODY,
      success: config.SMS_HTTP_SUCCESS,
      user: config.SMS_HTTP_USER,
      password: config.SMS_HTTP_PASSWORD,
      bearerToken: config.SMS_HTTP_TOKEN,
      connections: config.SMS_CONCURRENCY,
      proxy: proxyOptions(config),
      onResponse,
    });
  },
};

const PUSH_TRANSPORTS: Readonly<Record<Config['PUSH_CHANNEL'], Make<PushMessage>>> = {
  file: (config) => pushFileTransport(outboxFile(config, 'push')),
  fcm: (config, onResponse) => {
    const { FCM_SERVICE_ACCOUNT, FCM_URL, FCM_TOKEN_URL, PUSH_CONCURRENCY } = config;
    if (FCM_SERVICE_ACCOUNT === undefined) {
      throw new SettingError('PUSH_CHANNEL=fcm needs FCM_SERVICE_ACCOUNT.');
    }
    return pushFcmTransport({
      account: readServiceAccount(FCM_SERVICE_ACCOUNT),
      url: FCM_URL,
      tokenUrl: FCM_TOKEN_URL,
      connections: PUSH_CONCURRENCY,
      proxy: proxyOptions(config),
      onResponse,
    });
  },
};

/** How messages leave. */
export interface Transports {
  readonly sms: Transport<SmsMessage>;
  readonly push: Transport<PushMessage>;
}

/** Those of which one can find out whether their providers are there. */
export interface ReachableTransports extends Transports {
  readonly sms: ReachableTransport<SmsMessage>;
  readonly push: ReachableTransport<PushMessage>;
}

/**
 * @param onResponse - told of each answer of a provider, as it is
 * @throws SettingError for settings that they cannot work with
 */
export function createTransports(config: Config, onResponse?: OnResponse): ReachableTransports {
  return { sms: smsTransport(config, onResponse), push: pushTransport(config, onResponse) };
}

/** The same, for SMS. */
export function smsTransport(config: Config, onResponse?: OnResponse): ReachableTransport<SmsMessage> {
  return SMS_TRANSPORTS[config.SMS_CHANNEL](config, onResponse);
}

/** The same, for push messages. */
export function pushTransport(config: Config, onResponse?: OnResponse): ReachableTransport<PushMessage> {
  return PUSH_TRANSPORTS[config.PUSH_CHANNEL](config, onResponse);
}
