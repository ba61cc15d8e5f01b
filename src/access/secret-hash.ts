import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { hasDigest, sha256 } from '../support/same-secret';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Stored form of a secret: enough to verify it, too little to recover it. */
export type SecretHash =
  | { readonly kind: 'sha256'; readonly digest: Buffer }
  | { readonly kind: 'scrypt'; readonly cost: ScryptCost; readonly salt: Buffer; readonly digest: Buffer };

export interface ScryptCost {
  /** Base-2 logarithm of the number of rounds. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** A third of a second and 32 MB, as OWASP recommends for passwords. */
const COST: ScryptCost = { ln: 15, r: 8, p: 3 };
const MAX_MEMORY = 128 * 1024 * 1024;
const SHA256_TEXT = /^sha256:([0-9a-f]{64})$/;
const SCRYPT_TEXT =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,88})\$([A-Za-z0-9+/]{43})$/;

/** Parses `sha256:HEX` or `$scrypt$ln=15,r=8,p=3$SALT$HASH` (PHC format); undefined for anything else. */
export function parseSecretHash(text: string): SecretHash | undefined {
  const [, hex] = SHA256_TEXT.exec(text) ?? [];
  if (hex !== undefined) return { kind: 'sha256', digest: Buffer.from(hex, 'hex') };
  const [, ln, r, p, salt = '', digest = ''] = SCRYPT_TEXT.exec(text) ?? [];
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (!isBearable(cost)) return undefined;
  return { kind: 'scrypt', cost, salt: Buffer.from(salt, 'base64'), digest: Buffer.from(digest, 'base64') };
}

function isBearable({ ln, r, p }: ScryptCost): boolean {
  return ln >= 10 && r >= 1 && p >= 1 && p <= 16 && 128 * r * 2 ** ln <= MAX_MEMORY;
}

/** Hashes a password chosen by a person, deliberately slowly. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const digest = await deriveKey(password, salt, COST);
  const { ln, r, p } = COST;
  return `$scrypt$ln=${String(ln)},r=${String(r)},p=${String(p)}$${unpadded(salt)}$${unpadded(digest)}`;
}

/** Hashes a random key, which cannot be guessed, however fast the hash. */
export function hashKey(key: string): string {
  return `sha256:${sha256(key).toString('hex')}`;
}

/** Returns a hash that no password matches, as costly to verify as the costliest of some hashes. */
export function unmatchedHash(hashes: readonly SecretHash[]): SecretHash {
  const digest = randomBytes(32);
  const costs = hashes.flatMap((each) => (each.kind === 'scrypt' ? [each.cost] : []));
  const [cost] = costs.toSorted((one, other) => work(other) - work(one));
  return cost === undefined
    ? { kind: 'sha256', digest }
    : { kind: 'scrypt', cost, salt: randomBytes(16), digest };
}

function work({ ln, r, p }: ScryptCost): number {
  return 2 ** ln * r * p;
}

/** Returns true if a secret matches the hash, in constant time. */
export async function matchesSecret(hash: SecretHash, secret: string): Promise<boolean> {
  if (hash.kind === 'sha256') return hasDigest(secret, hash.digest);
  return timingSafeEqual(await deriveKey(secret, hash.salt, hash.cost), hash.digest);
}

function deriveKey(secret: string, salt: Buffer, { ln, r, p }: ScryptCost): Promise<Buffer> {
  return derive(secret, salt, 32, { N: 2 ** ln, r, p, maxmem: 2 * MAX_MEMORY });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '');
}
