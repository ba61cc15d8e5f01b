import { scryptSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';

import { writtenUsers } from '../../../src/admin/login/users-file';

/** A hash as cheap as one may be. */
export function quickHash(password: string): string {
  const salt = Buffer.from('salt of a test..');
  const digest = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(digest)}`;
}

/** Writes a file of users: an operator, and somebody who may only look, each with a password of theirs. */
export function writeUsers(path: string, password: (name: string) => string = passwordOf): void {
  writeFileSync(
    path,
    writtenUsers({
      anna: { role: 'operator', secret: quickHash(password('anna')) },
      hale: { role: 'helpdesk', secret: quickHash(password('hale')) },
      ben: { role: 'viewer', secret: quickHash(password('ben')) },
    }),
  );
}

export function passwordOf(name: string): string {
  return `password of ${name}`;
}
