import { scryptSync } from 'node:crypto';

const made = new Map<string, string>();

/** Returns a hash of a password, as cheap to verify as one may be. */
export function quickHash(password: string): string {
  const known = made.get(password);
  if (known !== undefined) return known;
  const salt = Buffer.from('salt of a test..');
  const digest = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  const hash = `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(digest)}`;
  made.set(password, hash);
  return hash;
}
