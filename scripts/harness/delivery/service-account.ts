import { generateKeyPairSync } from 'node:crypto';

import type { ServiceAccount } from '../../../src/delivery/transports/fcm-access';

/** A service account of a project that does not exist. */
export function newServiceAccount(): ServiceAccount {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    type: 'service_account',
    project_id: 'school-test',
    client_email: 'sender@school-test.example',
    private_key: privateKey,
  };
}
