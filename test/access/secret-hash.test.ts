import { hashKey, hashPassword } from '../../src/access';
import { quickHash } from '../harness/quick-hash';
import { matchesSecret, parseSecretHash, type SecretHash, unmatchedHash } from '../../src/access/secret-hash';

function parsed(text: string): SecretHash {
  const hash = parseSecretHash(text);
  if (hash === undefined) throw new Error(`${text} is no hash`);
  return hash;
}

describe('a hash', () => {
  it('of a password matches only that password, and differs each time', async () => {
    const [first, second] = await Promise.all([hashPassword('öpen sesame'), hashPassword('öpen sesame')]);
    expect(first).not.toBe(second);
    expect(await matchesSecret(parsed(first), 'öpen sesame')).toBe(true);
    expect(await matchesSecret(parsed(second), 'öpen sesame')).toBe(true);
    // Checked with a hash that costs little.
    for (const wrong of ['open sesame', ''])
      expect(await matchesSecret(parsed(quickHash('öpen sesame')), wrong)).toBe(false);
  });

  it('of a key is its SHA-256', async () => {
    // printf %s abc | sha256sum
    const text = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(hashKey('abc')).toBe(text);
    expect(await matchesSecret(parsed(text), 'abc')).toBe(true);
    expect(await matchesSecret(parsed(text), 'abd')).toBe(false);
  });

  it('made by another program is read, and matches its password', async () => {
    // Python: hashlib.scrypt(b'password', salt=b'NaCl-and-more', n=1024, r=8, p=16, dklen=32)
    const key = Buffer.from('961adfc916dc5f770c55a17ad6f5913580f46be0ce694008cf73af5e329d2d78', 'hex');
    const text = `$scrypt$ln=10,r=8,p=16$${Buffer.from('NaCl-and-more').toString('base64').replace(/=+$/, '')}$${key.toString('base64').replace(/=+$/, '')}`;
    expect(parsed(text)).toMatchObject({ cost: { ln: 10, r: 8, p: 16 }, digest: key });
    expect(await matchesSecret(parsed(text), 'password')).toBe(true);
  });

  it('of nothing matches nothing, and is as costly as the costliest of others', async () => {
    const hash = (ln: number, r: number, p: number): SecretHash =>
      parsed(`$scrypt$ln=${String(ln)},r=${String(r)},p=${String(p)}$c2FsdHNhbHRzYWx0$${'A'.repeat(43)}`);
    const costly = unmatchedHash([hash(10, 8, 3), hash(11, 8, 2), parsed(hashKey('x')), hash(12, 1, 1)]);
    expect(costly).toMatchObject({ cost: { ln: 11, r: 8, p: 2 } });
    for (const unmatched of [costly, unmatchedHash([parsed(hashKey(''))])])
      expect(await matchesSecret(unmatched, '')).toBe(false);
  });

  it.each([
    '',
    'secret',
    'sha256:ABC',
    'sha256:' + '0'.repeat(63),
    '$scrypt$ln=9,r=8,p=1$c2FsdHNhbHRzYWx0$' + 'A'.repeat(43),
    '$scrypt$ln=30,r=8,p=1$c2FsdHNhbHRzYWx0$' + 'A'.repeat(43),
    '$scrypt$ln=15,r=0,p=1$c2FsdHNhbHRzYWx0$' + 'A'.repeat(43),
    '$scrypt$ln=15,r=8,p=99$c2FsdHNhbHRzYWx0$' + 'A'.repeat(43),
    '$2b$12$' + 'a'.repeat(53),
  ])('cannot be %s', (text) => {
    expect(parseSecretHash(text)).toBeUndefined();
  });
});
