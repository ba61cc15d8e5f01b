import { hash, timingSafeEqual } from 'node:crypto';

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Returns true if two secrets are the same, in a time that depends on neither. */
export function isSameSecret(one: string, other: string): boolean {
  return hasDigest(one, sha256(other));
}

/** Returns true if a secret has this SHA-256 digest, in a time that does not depend on the secret. */
export function hasDigest(secret: string, digest: Buffer): boolean {
  return timingSafeEqual(sha256(secret), digest);
}
