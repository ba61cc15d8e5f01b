import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Both in PEM. */
export interface RsaKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

let taken = 0;

/**
 * A key of 2,048 bits that this module has not given yet. To draw one takes as long as many tests together: where
 * RSA_KEYS names a folder, keys are kept there, and others who run at the same time begin with the same ones.
 */
export function nextRsaKey(): RsaKey {
  const folder = process.env['RSA_KEYS'];
  if (folder === undefined) return drawKey();
  taken += 1;
  const file = join(folder, `${String(taken)}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as RsaKey; // As it is written below.
  const key = drawKey();
  // Nobody reads half of it.
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
