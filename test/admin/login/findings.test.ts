import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig } from '../../../src/config';
import { loginFindings } from '../../../src/admin/login/admin-login';
import { PROGRAM_NAME } from '../../../src/support/program-name';
import { quickHash } from '../../harness/quick-hash';
import { writeUsers } from './users';
import { useFolder } from '../../harness/use-folder';

const folder = useFolder();
const USERS = join(folder, 'users.json');

const found = (settings: Readonly<Record<string, string>>) =>
  loginFindings(loadConfig(settings)).map(({ level, message }) => `${level}: ${message}`);

const OPEN = `fatal: ADMIN_HOST makes the console reachable from other machines, so ADMIN_USERS_FILE is required. Create it with ${PROGRAM_NAME} admin-user, or set ADMIN_HOST to 127.0.0.1.`;

describe('the findings on the admin pages before the start', () => {
  beforeEach(() => {
    writeUsers(USERS);
  });

  it.each([
    ['on this machine alone', {}, []],
    ['on this machine alone, with users', { ADMIN_USERS_FILE: USERS }, []],
    ['to everyone', { ADMIN_HOST: '*' }, [OPEN]],
    ['to everyone at one address', { ADMIN_HOST: '10.1.2.3' }, [OPEN]],
    ['to users', { ADMIN_HOST: '*', ADMIN_USERS_FILE: USERS }, []],
    ['to no one', { ADMIN_HOST: '*', ADMIN_PORT: 'off' }, []],
    ['to no one, with a file that is not read', { ADMIN_PORT: 'off', ADMIN_USERS_FILE: '/nowhere' }, []],
  ])('if they are open %s', (_what, settings, findings) => {
    expect(found(settings)).toEqual(findings);
  });

  const anna = { role: 'operator', secret: quickHash('x') };
  it.each<readonly [string, unknown, string]>([
    ['has no users', { users: {} }, ` contains no users. Add them with ${PROGRAM_NAME} admin-user.`],
    ['is a list', [], ', top level: '],
    ['has an unknown part', { users: { anna }, more: 1 }, ', top level: '],
    [
      'has an invalid name',
      { users: { 'an na': anna } },
      ', users > an na: is not a valid name (a to z, A to Z, digits, . _ @ -).',
    ],
    ['has an unknown role', { users: { anna: { ...anna, role: 'admin' } } }, ', users > anna > role: '],
    [
      'has a plain password',
      { users: { anna: { ...anna, secret: 'hunter2' } } },
      `, users > anna > secret: is not an scrypt hash; create one with ${PROGRAM_NAME} admin-user.`,
    ],
    [
      'has a hash that is too fast',
      { users: { anna: { ...anna, secret: `$sha256$${'A'.repeat(43)}` } } },
      `, users > anna > secret: is not an scrypt hash; create one with ${PROGRAM_NAME} admin-user.`,
    ],
  ])('if the users file %s', (_what, content, message) => {
    writeFileSync(USERS, JSON.stringify(content));
    const [finding = '', ...others] = found({ ADMIN_USERS_FILE: USERS });
    expect(others).toEqual([]);
    expect(finding).toContain(`fatal: ${USERS} (ADMIN_USERS_FILE)${message}`);
    expect(finding).not.toContain('hunter2');
  });
});
