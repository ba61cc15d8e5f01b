import { join } from 'node:path';

import { writeSchool } from '../../../scripts/harness';
import { ROLES, type Role } from '../../../src/admin/login/users-file';
import type { NewMessage } from '../../../src/store';
import { useFolder } from '../../harness/use-folder';
import { passwordOf, writeUsers } from '../login/users';
import { readFeaturePages, type RoleAction } from './feature-pages';
import { useConsole } from './use-console';

const folder = useFolder();
const USERS = join(folder, 'users.json');
writeUsers(USERS);
const NAMES: Readonly<Record<Role, string>> = { viewer: 'ben', helpdesk: 'hale', operator: 'anna' };
const SCHOOL = 'http://roles.example';

/** Every route with an action, and the roles that may use it. */
const ACTIONS: readonly RoleAction[] = [
  ['POST', '/find', { text: 'N2' }, ROLES],
  ['POST', '/messages/find', { number: '05551230000' }, ROLES],
  ['GET', '/messages.csv', {}, ROLES],
  ...readFeaturePages().flatMap(({ downloads }) =>
    downloads.map((path) => ['GET', path, {}, ROLES] as const),
  ),
  ...readFeaturePages().flatMap(({ actions = [] }) => actions),
  ['POST', '/messages/confirm', { action: 'retry', school: SCHOOL }, ['helpdesk', 'operator']],
  ['POST', '/messages/change', { action: 'retry', school: SCHOOL }, ['helpdesk', 'operator']],
  ['POST', '/messages/confirm', { action: 'cancel', school: SCHOOL }, ['operator']],
  ['POST', '/messages/change', { action: 'cancel', school: SCHOOL }, ['operator']],
];

/** Errors of allowed actions without content. */
const EMPTY: Readonly<Record<string, number>> = Object.fromEntries(
  readFeaturePages().flatMap(({ empty = {} }) => Object.entries(empty)),
);

describe('user roles', () => {
  const console = useConsole('sqlite', { ADMIN_USERS_FILE: USERS });
  const sessions = new Map<Role, { readonly cookie: string; readonly token: string }>();

  const send = (path: string, init: RequestInit) =>
    fetch(console.origin + path, { redirect: 'manual', ...init });
  const read = async (role: Role, path: string) =>
    (await send(path, { headers: { cookie: sessions.get(role)?.cookie ?? '' } })).text();
  beforeAll(async () => {
    for (const role of ROLES) {
      const body = new URLSearchParams({ name: NAMES[role], password: passwordOf(NAMES[role]) });
      const entered = await send('/login', { method: 'POST', body });
      const cookie = (entered.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
      const page = await (await send('/messages', { headers: { cookie } })).text();
      sessions.set(role, { cookie, token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '' });
    }
  });
  const use = (role: Role, [method, path, fields]: RoleAction, token = sessions.get(role)?.token ?? '') =>
    send(path, {
      method,
      headers: { cookie: sessions.get(role)?.cookie ?? '' },
      body: method === 'GET' ? null : new URLSearchParams({ ...fields, token }),
    });

  it('are tested with every form and every download of the console', () => {
    const tested = new Set(ACTIONS.map(([method, path]) => `${method} ${path}`));
    const actions = console.routes.filter((route) => /^POST |\.csv$/.test(route));
    expect(actions).toContain('POST /messages/change');
    expect(actions.filter((route) => !tested.has(route))).toEqual([]);
  });

  describe.each(ROLES)('%s', (role) => {
    it.each(ACTIONS)('%s %s %j is allowed or refused', async (...action) => {
      const answer = await use(role, action);
      const text = await answer.text();
      const [method, path, , roles] = action;
      if (roles.includes(role)) {
        expect([200, 303, EMPTY[`${method} ${path}`]]).toContain(answer.status);
      } else {
        expect(answer.status).toBe(403);
        expect(text).toContain(`Your role (${role}) does not permit this: `);
        expect(text).toContain('<nav aria-label="Console">');
      }
    });

    it.each(ACTIONS.filter(([method]) => method === 'POST'))(
      '%s %s %j needs the token of the session',
      async (...action) => {
        for (const token of ['', 'guessed']) expect((await use(role, action, token)).status).toBe(403);
      },
    );

    it('finds students of one id, with their names only for the roles that may see them', async () => {
      // Another test may have imported something else.
      await console.store.importFolder(
        writeSchool(`${console.database.folder}/roles`, {
          schools: [`${SCHOOL},`, 'http://other.example,Other'],
          classes: [`${SCHOOL},K-9,Nine`, 'http://other.example,K-9,Nine'],
          students: [`${SCHOOL},S77,Zeynep,Y,K-9`, 'http://other.example,S77,S77,Y,K-9'],
        }),
      );
      const answer = await use(role, ['POST', '/find', { text: 'S77' }, ROLES]);
      const shown = [...(await answer.text()).matchAll(/<a href="\/schools\/student[^>]*>([^<]*)<\/a>/g)];
      const name = role === 'viewer' ? '' : ' Zeynep';
      expect(shown.map(([, text]) => text).toSorted()).toEqual([
        'Student S77 (Other)',
        `Student S77${name} (${SCHOOL})`,
      ]);
    });

    it('sees only the buttons for its actions', async () => {
      const { messages, deliveries } = console.store;
      const message: NewMessage = {
        ...{ channel: 'push', recipient: 'DEV-1', school: SCHOOL, payload: { note: 'N1' }, dedupeKey: null },
        ...{ createdAt: console.now - 1000, expiresAt: console.now + 300_000 },
      };
      const waiting = await messages.enqueue(message);
      const cancelled = await messages.enqueue(message);
      await deliveries.cancel({ ids: [cancelled] }, console.now);
      const buttons = async (path: string) =>
        [...(await read(role, path)).matchAll(/<button name="action" value="(\w+)"/g)].map(
          ([, value]) => value,
        );
      const may = { viewer: [], helpdesk: ['retry'], operator: ['retry', 'cancel'] }[role];
      expect(await buttons(`/messages?school=${SCHOOL}&newer-than=any`)).toEqual(may);
      expect(await buttons(`/messages/${waiting}`)).toEqual(may.filter((action) => action === 'cancel'));
      expect(await buttons(`/messages/${cancelled}`)).toEqual(may.filter((action) => action === 'retry'));
    });
  });
});
