import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig } from '../../../src/config';
import { entranceFindings } from '../../../src/admin/login/entrance';
import { PROGRAM_NAME } from '../../../src/support/program-name';
import { quickHash, writeUsers } from './users';
import { useFolder } from '../../harness/use-folder';

const folder = useFolder();
const USERS = join(folder, 'users.json');

const found = (settings: Readonly<Record<string, string>>) =>
  entranceFindings(loadConfig(settings)).map(({ level, message }) => `${level}: ${message}`);

const OPEN = `fatal: ADMIN_HOST makes the console reachable from other machines, so ADMIN_USERS_FILE is required. Create it with ${PROGRAM_NAME} admin-user, or set ADMIN_HOST to 127.0.0.1.`;

describe('what is found of the operator’s pages before the start', () => {
  beforeEach(() => {
    writeUsers(USERS);
  });

  it.each([
    ['on this machine alone', {}, []],
    ['on this machine alone, with users', { ADMIN_USERS_FILE: USERS }, []],
    ['for everyone', { ADMIN_HOST: '*' }, [OPEN]],
    ['for everyone at one address', { ADMIN_HOST: '10.1.2.3' }, [OPEN]],
    ['for users', { ADMIN_HOST: '*', ADMIN_USERS_FILE: USERS }, []],
    ['for nobody', { ADMIN_HOST: '*', ADMIN_PORT: 'off' }, []],
    ['for nobody, with a file that nobody reads', { ADMIN_PORT: 'off', ADMIN_USERS_FILE: '/nowhere' }, []],
  ])('where they are there %s', (_what, settings, findings) => {
    expect(found(settings)).toEqual(findings);
  });

  const anna = { role: 'operator', secret: quickHash('x') };
  it.each<readonly [string, unknown, string]>([
    ['names nobody', { users: {} }, ` contains no users. Add them with ${PROGRAM_NAME} admin-user.`],
    ['is a list', [], ', top level: '],
    ['has another part', { users: { anna }, more: 1 }, ', top level: '],
    ['has a name that is none', { users: { 'an na': anna } }, ', users > an na: '],
    ['has another role', { users: { anna: { ...anna, role: 'admin' } } }, ', users > anna > role: '],
    [
      'has a password as it is',
      { users: { anna: { ...anna, secret: 'hunter2' } } },
      `, users > anna > secret: is not an scrypt hash; create one with ${PROGRAM_NAME} admin-user.`,
    ],
    [
      'has a hash that is too quick',
      { users: { anna: { ...anna, secret: `$sha256$${'A'.repeat(43)}` } } },
      `, users > anna > secret: is not an scrypt hash; create one with ${PROGRAM_NAME} admin-user.`,
    ],
  ])('where the file of users %s', (_what, content, message) => {
    writeFileSync(USERS, JSON.stringify(content));
    const [finding = '', ...others] = found({ ADMIN_USERS_FILE: USERS });
    expect(others).toEqual([]);
    expect(finding).toContain(`fatal: ${USERS} (ADMIN_USERS_FILE)${message}`);
    expect(finding).not.toContain('hunter2');
  });
});
