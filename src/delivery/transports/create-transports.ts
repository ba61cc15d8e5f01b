import { join } from 'node:path';

import { type Config, SettingError } from '../../config';
import type { Channel, PushMessage, SmsMessage } from './transport';
import { readServiceAccount } from './fcm-access';
import { pushFcmChannel } from './push-fcm';
import { pushFileChannel } from './push-file';
import { smsFileChannel } from './sms-file';
import { smsHttpChannel } from './sms-http';

/** Folder of the file channels. */
const OUTBOX_FOLDER = 'outbox';

const SMS_CHANNELS: Readonly<Record<Config['SMS_CHANNEL'], (config: Config) => Channel<SmsMessage>>> = {
  file: ({ DATA_DIR }) => smsFileChannel(join(DATA_DIR, OUTBOX_FOLDER, 'sms.jsonl')),
  http: (config) => {
    if (config.SMS_HTTP_URL === '') throw new SettingError('SMS_CHANNEL=http needs SMS_HTTP_URL.');
    return smsHttpChannel({
      url: config.SMS_HTTP_URL,
      method: config.SMS_HTTP_METHOD,
      headers: config.SMS_HTTP_HEADERS,
      body: config.SMS_HTTP_BODY,
      success: config.SMS_HTTP_SUCCESS,
      user: config.SMS_HTTP_USER,
      password: config.SMS_HTTP_PASSWORD,
      bearerToken: config.SMS_HTTP_TOKEN,
      connections: config.SMS_CONCURRENCY,
    });
  },
};

const PUSH_CHANNELS: Readonly<Record<Config['PUSH_CHANNEL'], (config: Config) => Channel<PushMessage>>> = {
  file: ({ DATA_DIR }) => pushFileChannel(join(DATA_DIR, OUTBOX_FOLDER, 'push.jsonl')),
  fcm: ({ FCM_SERVICE_ACCOUNT, FCM_URL, FCM_TOKEN_URL, PUSH_CONCURRENCY }) => {
    if (FCM_SERVICE_ACCOUNT === undefined) {
      throw new SettingError('PUSH_CHANNEL=fcm needs FCM_SERVICE_ACCOUNT.');
    }
    return pushFcmChannel({
      account: readServiceAccount(FCM_SERVICE_ACCOUNT),
      url: FCM_URL,
      tokenUrl: FCM_TOKEN_URL,
      connections: PUSH_CONCURRENCY,
    });
  },
};

/** @throws SettingError for settings that the channel cannot work with */
export function createSmsChannel(config: Config): Channel<SmsMessage> {
  return SMS_CHANNELS[config.SMS_CHANNEL](config);
}

/** @throws SettingError for settings that the channel cannot work with */
export function createPushChannel(config: Config): Channel<PushMessage> {
  return PUSH_CHANNELS[config.PUSH_CHANNEL](config);
}
