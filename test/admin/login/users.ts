import { writeFileSync } from 'node:fs';

import { writtenUsers } from '../../../src/admin/login/users-file';
import { quickHash } from '../../harness/quick-hash';

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
