import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { nextRsaKey } from '../rsa-keys';

/** Settings of a service that sends all its messages to the provider at this address; `folder` takes a key file. */
export function providerSettings(folder: string, url: string): Readonly<Record<string, string>> {
  return {
    SMS_CHANNEL: 'http',
    GATEWAYS_FILE: writeGatewaysFile(folder, { url: `${url}/sms` }),
    PUSH_CHANNEL: 'fcm',
    FCM_SERVICE_ACCOUNT: writeServiceAccount(folder, `${url}/token`, url),
  };
}

type GatewayDescription = Readonly<Record<string, unknown>>;

/** Writes a GATEWAYS_FILE with one gateway, named `gateway`, and returns its path. By default it takes JSON. */
export function writeGatewaysFile(folder: string, gateway: GatewayDescription): string {
  return writeRoute(folder, { gateway });
}

/** Writes a GATEWAYS_FILE with a route through these gateways, in order, and returns its path. */
export function writeRoute(folder: string, route: Readonly<Record<string, GatewayDescription>>): string {
  const gateways = Object.fromEntries(
    Object.entries(route).map(([name, described]) => [
      name,
      'preset' in described ? described : { ...JSON_GATEWAY, ...described },
    ]),
  );
  const file = join(folder, 'gateways.json');
  writeFileSync(file, JSON.stringify({ gateways, routes: [{ gateways: Object.keys(route) }] }), {
    mode: 0o600,
  });
  return file;
}

/** A gateway that takes a number and a text, and says yes with any status of 2xx. */
export const JSON_GATEWAY = {
  type: 'json',
  body: { to: '{phone}', text: '{text}' },
  code: { json: '/code' },
  providerId: { json: '/sid' },
  answers: [
    { status: '2xx', class: 'accepted' },
    { status: '4xx', code: ['21211', '4'], class: 'rejected', meaning: 'not a valid number' },
  ],
} as const;

/** Writes the key file of a service account, and returns its path. */
export function writeServiceAccount(folder: string, ...urls: Parameters<typeof serviceAccount>): string {
  const path = join(folder, 'service-account.json');
  writeFileSync(path, JSON.stringify(serviceAccount(...urls)), { mode: 0o600 });
  return path;
}

/** A service account of a project that does not exist; Google would issue no access token for it. */
export function serviceAccount(
  token_uri = 'https://oauth2.googleapis.com/token',
  fcm_url = 'https://fcm.googleapis.com',
) {
  return {
    type: 'service_account',
    project_id: 'school-test',
    client_email: 'sender@school-test.example',
    private_key: privateKey(),
    token_uri,
    fcm_url,
  } as const;
}

let key: string | undefined;

/** One for all: nothing asks for another one. */
function privateKey(): string {
  key ??= nextRsaKey().privateKey;
  return key;
}
