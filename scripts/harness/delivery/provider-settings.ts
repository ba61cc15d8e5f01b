import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { nextRsaKey } from '../rsa-keys';

/** Settings of a service that sends all its messages to the provider at this address; `folder` takes a key file. */
export function providerSettings(folder: string, url: string): Readonly<Record<string, string>> {
  const accountFile = join(folder, 'service-account.json');
  writeFileSync(accountFile, JSON.stringify(serviceAccount()), { mode: 0o600 });
  return {
    SMS_CHANNEL: 'http',
    SMS_HTTP_URL: `${url}/sms`,
    PUSH_CHANNEL: 'fcm',
    FCM_SERVICE_ACCOUNT: accountFile,
    FCM_URL: url,
    FCM_TOKEN_URL: `${url}/token`,
  };
}

/** A service account of a project that does not exist. */
export function serviceAccount() {
  return {
    type: 'service_account',
    project_id: 'school-test',
    client_email: 'sender@school-test.example',
    private_key: privateKey(),
  } as const;
}

let key: string | undefined;

/** One for all: nothing asks for another one. */
function privateKey(): string {
  key ??= nextRsaKey().privateKey;
  return key;
}
