import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { newServiceAccount } from './service-account';

/** Settings of a service that sends all its messages to the provider at this address; `folder` takes a key file. */
export function providerSettings(folder: string, url: string): Readonly<Record<string, string>> {
  const accountFile = join(folder, 'service-account.json');
  writeFileSync(accountFile, JSON.stringify(newServiceAccount()));
  return {
    SMS_CHANNEL: 'http',
    SMS_HTTP_URL: `${url}/sms`,
    PUSH_CHANNEL: 'fcm',
    FCM_SERVICE_ACCOUNT: accountFile,
    FCM_URL: url,
    FCM_TOKEN_URL: `${url}/token`,
  };
}
