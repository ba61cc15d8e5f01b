import { hash as digestOf, scryptSync } from 'node:crypto';

import { Credentials, Rejected } from '../../src/access/credentials';
import { parseSecretHash, type SecretHash } from '../../src/access/secret-hash';

const SCRYPT = `$scrypt$ln=10,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const QUICK = read(`sha256:${digestOf('sha256', 'right')}`);

function read(text: string): SecretHash {
  const parsed = parseSecretHash(text);
  if (parsed === undefined) throw new Error(`${text} is no hash`);
  return parsed;
}

describe('a wrong password', () => {
  let verified = 0;
  /** Returns a hash that counts how often it is verified. */
  const slow = (): SecretHash => {
    const parsed = read(SCRYPT);
    return Object.defineProperty(parsed, 'salt', {
      get: () => {
        verified += 1;
        return Buffer.alloc(16);
      },
    });
  };

  it.each([
    ['no slow hash', [[QUICK], [QUICK, QUICK]], 0],
    ['one slow hash at most', [[QUICK], [slow()]], 1],
    ['two slow hashes at most', [[QUICK], [slow(), slow()], [slow(), QUICK]], 2],
  ])('takes as many slow hashes for each name, where users have %s', async (_what, users, count) => {
    const credentials = new Credentials<string>((hashes) =>
      hashes.some(({ kind }) => kind === 'scrypt') ? slow() : QUICK,
    );
    for (const [at, hashes] of users.entries()) credentials.addUser(String(at), hashes, String(at));
    for (const name of [...users.keys(), 'nobody'].map(String)) {
      verified = 0;
      expect(await credentials.callerForUser(name, 'wrong', `place ${name}`)).toBeInstanceOf(Rejected);
      expect([name, verified]).toEqual([name, count]);
    }
  });
});

describe('a right password', () => {
  it('is verified again after that failed, for example because memory was short', async () => {
    let isShort = true;
    const { kind, salt } = read(SCRYPT) as Extract<SecretHash, { kind: 'scrypt' }>;
    // More rounds than Node.js has the permission to use memory for.
    const hash = {
      kind,
      salt,
      get cost() {
        return { ln: isShort ? 30 : 10, r: 1, p: 1 };
      },
      digest: scryptSync('right', salt, 32, { N: 1024, r: 1, p: 1 }),
    };
    const credentials = new Credentials<string>();
    credentials.addUser('anna', [hash], 'anna');
    const attempt = async () => credentials.callerForUser('anna', 'right', 'here');
    await expect(attempt()).rejects.toThrow('memory limit exceeded');
    isShort = false;
    expect(await attempt()).toBe('anna');
  });
});
