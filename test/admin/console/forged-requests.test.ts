// Ways in which a page elsewhere has a logged-in operator's browser send something (CSRF), none of which changes anything.

import { join } from 'node:path';

import { passwordOf, writeUsers } from '../login/users';
import { useFolder } from '../../harness/use-folder';
import { useConsole } from './use-console';

const folder = useFolder();
const USERS = join(folder, 'users.json');
writeUsers(USERS);

interface LoggedIn {
  readonly cookie: string;
  readonly token: string;
}

/** Describes what a foreign page can make a browser send about a waiting message. */
interface Forged {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of a form; those of the attack itself unless given. */
  readonly body?: RequestInit['body'];
}

describe('a forged request', () => {
  const console = useConsole('sqlite', { ADMIN_USERS_FILE: USERS });
  let anna: LoggedIn;
  let other: LoggedIn;
  let id: string;

  const send = (path: string, init: RequestInit) =>
    fetch(console.origin + path, { redirect: 'manual', ...init });
  const logIn = async (name: string): Promise<LoggedIn> => {
    const body = new URLSearchParams({ name, password: passwordOf(name) });
    const entered = await send('/login', { method: 'POST', body });
    const cookie = (entered.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const page = await (await send('/messages', { headers: { cookie } })).text();
    return { cookie, token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '' };
  };
  const state = async () => (await console.store.deliveries.list({ ids: [id] }, 1))[0]?.state;
  beforeAll(async () => {
    other = await logIn('anna');
    anna = await logIn('anna');
  });
  beforeEach(async () => {
    id = await console.store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-1', school: 'http://a.example', payload: {}, dedupeKey: null },
      ...{ createdAt: console.now - 1000, expiresAt: console.now + 300_000 },
    });
  });

  const fields = (token?: string) =>
    new URLSearchParams({ action: 'cancel', id, ...(token !== undefined && { token }) });
  const CHANGE = '/messages/change';
  const FORM = 'application/x-www-form-urlencoded';

  it.each<readonly [string, () => Forged]>([
    ['without a token', () => ({ body: fields() })],
    ['with an empty token', () => ({ body: fields('') })],
    ['with a guessed token', () => ({ body: fields('x'.repeat(43)) })],
    ['with a piece of the token', () => ({ body: fields(anna.token.slice(0, -1)) })],
    ['with the token of another session of the same user', () => ({ body: fields(other.token) })],
    ['with the session as the token', () => ({ body: fields(anna.cookie.split('=')[1]) })],
    ['with the token in a list', () => ({ body: `${fields().toString()}&token[]=${anna.token}` })],
    ['with the token twice', () => ({ body: `${fields('x').toString()}&token=${anna.token}` })],
    [
      'with the token in the address',
      () => ({
        path: `${CHANGE}?token=${anna.token}`,
        body: fields(),
        headers: { 'Sec-Fetch-Site': 'none' },
      }),
    ],
    ['with the token in a header', () => ({ body: fields(), headers: { 'X-CSRF-Token': anna.token } })],
    ['as a GET', () => ({ method: 'GET', path: `${CHANGE}?${fields(anna.token).toString()}`, body: null })],
    ['as a HEAD', () => ({ method: 'HEAD', path: `${CHANGE}?${fields(anna.token).toString()}`, body: null })],
    [
      'as a GET that says it is a POST',
      () => ({
        ...{ method: 'GET', path: `${CHANGE}?_method=POST&${fields(anna.token).toString()}`, body: null },
        headers: { 'X-HTTP-Method-Override': 'POST' },
      }),
    ],
    ['as a PUT', () => ({ method: 'PUT', body: fields(anna.token) })],
    [
      'as text, which needs no preflight',
      () => ({ body: fields(anna.token).toString(), headers: { 'Content-Type': 'text/plain' } }),
    ],
    [
      'as JSON',
      () => ({
        body: JSON.stringify(Object.fromEntries(fields(anna.token))),
        headers: { 'Content-Type': 'application/json' },
      }),
    ],
    [
      'as a multipart form',
      () => {
        const body = new FormData();
        for (const [name, value] of fields(anna.token)) body.set(name, value);
        return { body };
      },
    ],
    [
      'from another site, with the right token',
      () => ({ body: fields(anna.token), headers: { 'Sec-Fetch-Site': 'cross-site' } }),
    ],
    [
      'from a sibling site, with the right token',
      () => ({ body: fields(anna.token), headers: { 'Sec-Fetch-Site': 'same-site' } }),
    ],
    [
      'without the cookie, which SameSite withholds',
      () => ({ body: fields(anna.token), headers: { Cookie: '' } }),
    ],
  ])('%s changes nothing', async (_what, forged) => {
    const { method = 'POST', path = CHANGE, headers = {}, body } = forged();
    const init: RequestInit = {
      method,
      headers: { Cookie: anna.cookie, ...(typeof body === 'string' && { 'Content-Type': FORM }), ...headers },
      body: body ?? null,
    };
    const answer = await send(path, init);
    expect(answer.status).not.toBe(200);
    expect(answer.headers.get('location') ?? '').not.toContain('done=');
    expect(await state()).toBe('queued');
  });

  it('ends no session and logs no one in', async () => {
    for (const token of ['', other.token]) {
      await send('/logout', {
        method: 'POST',
        headers: { Cookie: anna.cookie },
        body: new URLSearchParams({ token }),
      });
    }
    await send('/logout', { headers: { Cookie: anna.cookie } });
    expect((await send('/messages', { headers: { Cookie: anna.cookie } })).status).toBe(200);
    const body = new URLSearchParams({ name: 'ben', password: passwordOf('ben') });
    const foreign = await send('/login', {
      method: 'POST',
      body,
      headers: { 'Sec-Fetch-Site': 'cross-site' },
    });
    expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []]);
  });

  it('is distinguished from the operator’s own, which does change the message', async () => {
    const headers = { Cookie: anna.cookie, 'Sec-Fetch-Site': 'same-origin' };
    const done = await send(CHANGE, { method: 'POST', headers, body: fields(anna.token) });
    expect(done.headers.get('location')).toContain('done=cancel');
    expect(await state()).toBe('suppressed');
  });
});
