import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Both in PEM. */
export interface RsaKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Tests compare a key with the one before, never with more. */
const KEYS = 4;

let taken = 0;

/**
 * Returns a key of 2,048 bits that differs from the three before. Drawing one takes as long as many tests together: with
 * a folder in RSA_KEYS, a few keys are kept there, which all processes of a run share.
 */
export function nextRsaKey(): RsaKey {
  const folder = process.env['RSA_KEYS'];
  if (folder === undefined) return drawKey();
  taken = (taken + 1) % KEYS;
  const file = join(folder, `${String(taken)}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as RsaKey; // As it is written below.
  const key = drawKey();
  // Other processes must never read half of it.
  const own = `${file}.${String(process.pid)}`;
  writeFileSync(own, JSON.stringify(key), { mode: 0o600 });
  renameSync(own, file);
  return key;
}

function drawKey(): RsaKey {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
