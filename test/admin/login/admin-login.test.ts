import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import express from 'express';
import pino from 'pino';
import request from 'supertest';

import { listen } from '../../../scripts/harness';
import { loadConfig } from '../../../src/config';
import { type ActionLog, ActionTrail } from '../../../src/admin/login/actions';
import { AdminLogin } from '../../../src/admin/login/admin-login';
import { LogIn } from '../../../src/admin/login/log-in';
import { readUsers } from '../../../src/admin/login/users-file';
import { quickHash } from '../../harness/quick-hash';
import { passwordOf, writeUsers } from './users';
import { useFolder } from '../../harness/use-folder';

const TOKEN = 'a-token-of-prometheus';
type Settings = Readonly<Record<string, string>>;
interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

const folder = useFolder();
const USERS = join(folder, 'users.json');
const lines: Line[] = [];
beforeEach(() => {
  lines.length = 0;
  writeUsers(USERS);
});

interface OpenLogin {
  readonly app: express.Express;
  /** Unfinished answers. */
  readonly streams: readonly express.Response[];
  readonly reload: () => void;
}

/** A port with pages that say who looks, and do what their forms say. */
function open(settings: Settings = {}, log?: Pick<ActionLog, 'record'>): OpenLogin {
  const config = loadConfig({ ADMIN_USERS_FILE: USERS, ADMIN_METRICS_TOKEN: TOKEN, ...settings });
  const logger = pino({}, { write: (line) => lines.push(JSON.parse(line) as Line) });
  const store = { write: () => Promise.reject(new Error('closed')) };
  const login = new AdminLogin(config, logger, log && new ActionTrail(store, logger, log));
  const app = express();
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(login.gate);
  app.get('/metrics', (_request, response) => {
    response.send('metrics');
  });
  app.get('/assets/console.css', (_request, response) => {
    response.send('css');
  });
  const streams: express.Response[] = [];
  app.get('/stream', (_request, response) => {
    streams.push(response);
    response.write('begun\n');
  });
  app.get('/', (_request, response) => {
    response.json({ ...login.userFor(response), token: login.pageToken(response) });
  });
  app.post('/change', express.urlencoded(), (req, response) => {
    const { token } = req.body as { token: string };
    if (!login.isPageToken(response, token)) response.status(403).end();
    else {
      void login.record(response, 'retry', { messages: 3 });
      response.send('done');
    }
  });
  return {
    app,
    streams,
    reload: () => {
      login.reload(config);
    },
  };
}

/** Sends the form of the login page. */
async function logIn(app: express.Express, name: string, password = passwordOf(name), to = '/') {
  return request(app).post('/login').type('form').send({ name, password, to });
}

/** Returns the cookie that the browser sends after an answer. */
function cookieOf(response: { readonly headers: unknown }, name = 'console_session'): string {
  const cookies = (response.headers as { 'set-cookie'?: string[] })['set-cookie'] ?? [];
  return cookies.find((cookie) => cookie.startsWith(name))?.split(';')[0] ?? '';
}

async function loggedIn(app: express.Express, name: string): Promise<{ cookie: string; token: string }> {
  const cookie = cookieOf(await logIn(app, name));
  const page = await request(app).get('/').set('Cookie', cookie);
  return { cookie, token: (page.body as { token: string }).token };
}

describe('without a file of users', () => {
  const everybody = { ADMIN_USERS_FILE: '' };

  it('everyone who reaches the port is an operator without a login', async () => {
    const { app } = open(everybody);
    const page = await request(app).get('/');
    expect(page.body).toMatchObject({ role: 'operator', canLogOut: false });
    expect(page.body).not.toHaveProperty('name');
    expect((await request(app).get('/metrics')).text).toBe('metrics');
    expect((await request(app).get('/login')).status).toBe(404);
  });

  it('a change needs the token of its page, and is logged once', async () => {
    const { app } = open(everybody);
    const { token } = (await request(app).get('/')).body as { token: string };
    const post = (given: string) => request(app).post('/change').type('form').send({ token: given });
    expect((await post('')).status).toBe(403);
    expect((await post(token.slice(1))).status).toBe(403);
    expect(lines).toEqual([]);
    expect((await post(token)).text).toBe('done');
    expect(lines).toMatchObject([{ msg: 'console action', user: 'local', action: 'retry', messages: 3 }]);
  });

  it('a token of another process is rejected', async () => {
    const { token } = (await request(open(everybody).app).get('/')).body as { token: string };
    const { status } = await request(open(everybody).app).post('/change').type('form').send({ token });
    expect(status).toBe(403);
  });
});

describe('the host name of a request', () => {
  it.each([
    ['evil.example', 403],
    ['evil.example:8081', 403],
    ['localhost.evil.example', 403],
    ['localhost:8081', 200],
    ['127.0.0.1', 200],
    ['[::1]:8081', 200],
    ['console.school.example', 200],
    ['admin.school.example:8081', 200],
    ['soap.school.example', 200],
  ])('%s gets %d, also for metrics, login and assets', async (host, status) => {
    const { app } = open({
      ALLOWED_HOSTS: 'console.school.example',
      ADMIN_HOST: 'admin.school.example',
      BASE_URL: 'https://soap.school.example/x',
    });
    const ask = (path: string) =>
      request(app).get(path).set('Host', host).set('Authorization', `Bearer ${TOKEN}`);
    for (const path of ['/metrics', '/login', '/assets/console.css'])
      expect((await ask(path)).status).toBe(status);
  });

  it.each([
    ['', 403],
    [USERS, 303],
  ])('is taken from a proxy only if everyone logs in (file %j)', async (file, status) => {
    const { app } = open({ TRUST_PROXY: 'loopback', ADMIN_USERS_FILE: file });
    const name = 'admin.school.example';
    const asked = await request(app).get('/').set({ Host: name, 'X-Forwarded-Host': name });
    expect(asked.status).toBe(status);
  });

  it('is checked before a login', async () => {
    const { app } = open();
    const { status } = await request(app).post('/login').set('Host', 'evil.example').type('form').send({});
    expect(status).toBe(403);
  });
});

describe('with a file of users', () => {
  it('a request is redirected to the login, and from there to the requested page', async () => {
    const { app } = open();
    const sent = await request(app).get('/messages?state=failed&school=a%26b');
    expect(sent.status).toBe(303);
    const page = await request(app).get(sent.headers['location'] ?? '');
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const to = /name="to" value="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const entered = await logIn(app, 'anna', undefined, to);
    expect([entered.status, entered.headers['location']]).toEqual([
      303,
      '/messages?state=failed&school=a%26b',
    ]);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    'https://evil.example/',
    'javascript:x',
    '/login',
  ])('a login never redirects to %s', async (to) => {
    expect((await logIn(open().app, 'anna', undefined, to)).headers['location']).toBe('/');
  });

  it('a login sets a cookie for eight hours, for this site only, that no script can read', async () => {
    const cookies = (await logIn(open().app, 'anna')).headers['set-cookie'] as unknown as string[];
    expect(cookies.find((cookie) => cookie.startsWith('console_session'))).toMatch(
      /^console_session=[\w-]{43}; Max-Age=28800; Path=\/; Expires=[^;]*; HttpOnly; SameSite=Strict$/,
    );
  });

  it.each([
    ['X-Forwarded-Proto', 'https'],
    ['Forwarded', 'for=192.0.2.1;proto=https'],
  ])('behind a proxy with TLS (%s) the cookie is sent only over TLS', async (header, value) => {
    const { app } = open({ TRUST_PROXY: 'loopback' });
    const entered = await request(app)
      .post('/login')
      .set(header, value)
      .type('form')
      .send({ name: 'anna', password: passwordOf('anna') });
    expect(String(entered.headers['set-cookie'])).toMatch(/; Secure/);
  });

  it.each(['anna', 'ben'])('%s gets the role in the file', async (name) => {
    const { app } = open();
    const { cookie } = await loggedIn(app, name);
    const role = name === 'anna' ? 'operator' : 'viewer';
    expect((await request(app).get('/').set('Cookie', `a=b; ${cookie}`)).body).toMatchObject({
      name,
      role,
      canLogOut: true,
    });
    expect(lines).toMatchObject([{ msg: 'console log-in', user: name }]);
  });

  it.each([
    ['anna', 'wrong'],
    ['anna', ''],
    ['nobody', passwordOf('anna')],
    ['anna:x', passwordOf('anna')],
    ['', ''],
  ])('a login as %j with the password %j is refused', async (name, password) => {
    const { app } = open();
    const refused = await logIn(app, name, password);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('<p role="alert" class="bad">Wrong name or password.</p>');
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect(refused.text).not.toContain(passwordOf('anna'));
    expect(lines).toMatchObject([{ msg: 'console log-in refused', reason: 'wrong' }]);
    expect(JSON.stringify(lines)).not.toContain(name === '' ? 'none' : name);
  });

  it('a name ends where its field ends, so that no attempt counts for another user', async () => {
    writeUsers(USERS, () => 'one:two');
    const { app } = open();
    expect((await logIn(app, 'anna:one', 'two')).status).toBe(403);
    expect((await logIn(app, 'anna', 'one:two')).status).toBe(303);
  });

  it('a made-up session is rejected', async () => {
    const { app } = open();
    for (const id of ['', 'x'.repeat(43), 'constructor'])
      expect((await request(app).get('/').set('Cookie', `console_session=${id}`)).status).toBe(303);
    const { cookie } = await loggedIn(app, 'anna');
    expect((await request(app).get('/').set('Cookie', `x${cookie}`)).status).toBe(303);
  });

  it('an unreadable form is rejected', async () => {
    const { app } = open();
    const long = await request(app)
      .post('/login')
      .type('form')
      .send({ name: 'x'.repeat(10_000) });
    expect(long.status).toBe(400);
    expect((await request(app).post('/login').type('form').send('name[a]=b&name=c')).status).toBe(403);
    expect((await request(app).post('/login').type('json').send({ name: 'anna' })).status).toBe(403);
  });

  it('the metrics require the token or a login', async () => {
    const { app } = open();
    const ask = (headers: Settings) => request(app).get('/metrics').set(headers);
    const refused = await ask({});
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await ask({ Authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    expect((await ask({ Authorization: `Bearer ${TOKEN}` })).text).toBe('metrics');
    expect((await ask({ Cookie: (await loggedIn(app, 'ben')).cookie })).text).toBe('metrics');
    // It opens nothing else.
    expect((await request(app).get('/').set('Authorization', `Bearer ${TOKEN}`)).status).toBe(303);
  });

  it('no token opens the metrics if none is set', async () => {
    const { app } = open({ ADMIN_METRICS_TOKEN: '' });
    for (const header of ['Bearer', 'Bearer ', 'Bearer undefined'])
      expect((await request(app).get('/metrics').set('Authorization', header)).status).toBe(401);
  });

  it('the login page asks for a name and a password', async () => {
    const { text } = await request(open().app).get('/login');
    expect(text).toContain('<title>Log in – Console</title>');
    expect(text).toContain('<h1>Log in</h1>');
    for (const label of ['name">Name', 'password">Password'])
      expect(text).toContain(`<label for="${label}</label>`);
    expect(text).toContain('<button>Log in</button>');
  });

  it('a logout is a form: its address is no page', async () => {
    const { app } = open();
    const { cookie } = await loggedIn(app, 'anna');
    expect((await request(app).get('/logout').set('Cookie', cookie)).status).toBe(404);
    expect((await request(app).get('/').set('Cookie', cookie)).status).toBe(200);
  });

  it('the login page loads its styles before a login', async () => {
    expect((await request(open().app).get('/assets/console.css')).text).toBe('css');
  });
});

describe('an answer without a login', () => {
  const heads = (response: { readonly headers: unknown }) =>
    response.headers as Readonly<Record<string, string>>;

  it('is never cached, and gives the reason', async () => {
    const { app } = open();
    const { cookie } = await loggedIn(app, 'anna');
    const form = (path: string) => request(app).post(path).set('Cookie', cookie).type('form');
    const answers = [
      [
        await request(app).get('/').set('Host', 'evil.example'),
        'This host name is not allowed. Add it to ALLOWED_HOSTS.\n',
      ],
      [
        await form('/change').set('Sec-Fetch-Site', 'cross-site').send({}),
        'Refused: this request came from a page of another site.\n',
      ],
      [await form('/logout').send({}), 'This form is out of date. Reload the page and submit it again.\n'],
      [
        await request(app).get('/metrics'),
        'Metrics require a login, or ADMIN_METRICS_TOKEN as a bearer token.\n',
      ],
      [
        await request(app)
          .post('/login')
          .type('form')
          .send({ name: 'x'.repeat(10_000) }),
        'Invalid form.\n',
      ],
    ] as const;
    for (const [answer, text] of answers) {
      expect(answer.text).toBe(text);
      expect(heads(answer)).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/plain; charset=utf-8',
      });
    }
    for (const answer of [await request(app).get('/x'), await logIn(app, 'anna')])
      expect(heads(answer)['cache-control']).toBe('no-store');
    for (const answer of [await request(app).get('/login'), await logIn(app, 'anna', 'wrong')]) {
      expect(heads(answer)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      });
    }
  });

  it('is the page itself if another site merely links here', async () => {
    const { app } = open();
    const { cookie } = await loggedIn(app, 'anna');
    const site = { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' };
    expect((await request(app).get('/').set(site)).status).toBe(200);
    expect((await request(app).head('/').set(site)).status).toBe(200);
  });

  it('redirects only to pages of this server', async () => {
    const { app } = open();
    for (const [query, to] of [
      ['', '/'],
      ['?to=a&to=b', '/'],
      ['?to=http://[', '/'],
      ['?to=/logout', '/'],
      ['?to=/login-history', '/login-history'],
      ['?to=/x/login', '/x/login'],
    ]) {
      expect((await request(app).get(`/login${query ?? ''}`)).text).toContain(
        `name="to" value="${to ?? ''}"`,
      );
    }
    expect((await request(app).post('/x').type('form').send({})).headers['location']).toBe('/login');
  });

  it('is logged by its reason: wrong, or too many', async () => {
    const { app } = open();
    for (let time = 0; time < 11; time += 1) await logIn(app, 'anna', `guess ${String(time)}`);
    expect(lines.map(({ reason }) => reason as string)).toEqual([
      ...Array.from({ length: 10 }, () => 'wrong'),
      'too many attempts',
    ]);
    expect((await logIn(open().app, 'anna', 'wrong')).headers).not.toHaveProperty('retry-after');
  });

  it.each([
    [`Bearer  ${TOKEN}`, 200],
    [`bearer ${TOKEN}`, 200],
    [`xBearer ${TOKEN}`, 401],
    [`Bearer ${TOKEN} x`, 401],
    [`Bearer${TOKEN}`, 401],
  ])('with the header %s gets the metrics, or not', async (header, status) => {
    const { app } = open();
    expect((await request(app).get('/metrics').set('Authorization', header)).status).toBe(status);
  });
});

describe('a change by a logged-in user', () => {
  it('needs the token of that user’s own pages', async () => {
    const { app } = open();
    const [anna, ben] = [await loggedIn(app, 'anna'), await loggedIn(app, 'ben')];
    const post = (token: string) =>
      request(app).post('/change').set('Cookie', anna.cookie).type('form').send({ token });
    expect((await post(ben.token)).status).toBe(403);
    expect((await post(anna.token)).text).toBe('done');
    expect(lines.at(-1)).toMatchObject({ msg: 'console action', user: 'anna', action: 'retry', messages: 3 });
  });

  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('from a page that is %s gets %d', async (site, status) => {
    const { app } = open();
    const { cookie, token } = await loggedIn(app, 'anna');
    const sent = request(app).post('/change').set({ Cookie: cookie, 'Sec-Fetch-Site': site });
    expect((await sent.type('form').send({ token })).status).toBe(status);
    const entered = request(app).post('/login').set('Sec-Fetch-Site', site).type('form');
    const { status: logInStatus } = await entered.send({ name: 'ben', password: passwordOf('ben') });
    expect(logInStatus === 403).toBe(status === 403);
  });

  it('is redirected to the login without a session', async () => {
    const sent = await request(open().app).post('/change').type('form').send({ token: '' });
    expect([sent.status, sent.headers['location']]).toEqual([303, '/login']);
  });
});

describe('login attempts', () => {
  it('that succeed do not count', async () => {
    const { app } = open();
    const statuses: number[] = [];
    for (let time = 0; time < 12; time += 1) statuses.push((await logIn(app, 'anna')).status);
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 303));
    for (let count = 0; count < 10; count += 1)
      expect((await logIn(app, 'anna', `guess ${String(count)}`)).status).toBe(403);
    expect((await logIn(app, 'anna', 'another guess')).status).toBe(429);
  });

  it('from one address are limited per minute', async () => {
    const { app } = open();
    const statuses: number[] = [];
    for (const name of ['anna', 'ben'])
      for (let count = 0; count < 6; count += 1)
        statuses.push((await logIn(app, name, `guess ${String(count)}`)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
    const refused = await logIn(app, 'ben');
    expect(refused.status).toBe(429);
    expect(refused.text).toMatch(/Too many attempts\. Try again in \d+ seconds?, or/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.text).toMatch(
      /Try again in \d+ seconds, or use a browser in which you have logged in before\./,
    );
  });

  describe('from a browser that the user has logged in with before', () => {
    const DEVICE = 'console_device_';
    let app: express.Express;
    let reload: () => void;
    beforeEach(() => {
      ({ app, reload } = open({ TRUST_PROXY: 'loopback' }));
    });
    const attempt = (name: string, password: string, cookie = '', place = 1) =>
      request(app)
        .post('/login')
        .set({ 'X-Forwarded-For': `192.0.2.${String(place)}`, Cookie: cookie })
        .type('form')
        .send({ name, password });
    const deviceOf = async (name: string, place = 1): Promise<string> =>
      cookieOf(await attempt(name, passwordOf(name), '', place), DEVICE);
    const guess = async (name: string, times: number, cookie?: string): Promise<number[]> => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time += 1)
        statuses.push((await attempt(name, `guess ${String(time)}`, cookie, 10 + time)).status);
      return statuses;
    };

    it('are counted separately, so that strangers cannot lock the user out', async () => {
      const device = await deviceOf('anna');
      expect((await guess('anna', 12)).slice(-2)).toEqual([429, 429]);
      expect((await attempt('anna', passwordOf('anna'), '', 2)).status).toBe(429);
      expect((await attempt('anna', passwordOf('anna'), device, 2)).status).toBe(303);
    });

    it('are not blocked by others from the same address, nor by strangers’ guesses at any name', async () => {
      const device = await deviceOf('anna', 7);
      // So that no password is remembered.
      ({ app } = open({ TRUST_PROXY: 'loopback' }));
      const colleague = await deviceOf('ben', 7);
      for (const cookie of ['', colleague])
        for (let time = 0; time < 12; time += 1) await attempt('ben', `guess ${String(time)}`, cookie, 7);
      expect((await attempt('anna', passwordOf('anna'), '', 7)).status).toBe(429);
      expect((await attempt('anna', passwordOf('anna'), device, 7)).status).toBe(303);
    });

    it('are limited like a stranger’s, and then lock out only that browser', async () => {
      const [device, other] = [await deviceOf('anna'), await deviceOf('anna')];
      expect(await guess('anna', 11, device)).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
      expect((await attempt('anna', passwordOf('anna'), device)).status).toBe(429);
      expect((await attempt('anna', passwordOf('anna'), other)).status).toBe(303);
      expect((await attempt('anna', passwordOf('anna'))).status).toBe(303);
    });

    it('count as a stranger’s with another user’s cookie, a forged one, or one for another password', async () => {
      const [anna, ben] = [await deviceOf('anna'), await deviceOf('ben')];
      const [name = '', value = ''] = anna.split('=');
      const [nonce = '', signature = ''] = value.split('.');
      await guess('anna', 10);
      const others = [
        ben,
        `${name}=${ben.split('=')[1] ?? ''}`,
        `${name}=${'x'.repeat(43)}.${signature}`,
        `${name}=${nonce}.${'x'.repeat(43)}`,
        `${name}=${nonce}.`,
        `${name}=${nonce}.${signature}x`,
        `${name}x=${value}`,
        `x${name}=${value}`,
      ];
      for (const cookie of others)
        expect([cookie, (await attempt('anna', passwordOf('anna'), cookie)).status]).toEqual([cookie, 429]);
      expect((await attempt('anna', passwordOf('anna'), `a=b; ${anna};c=d`)).status).toBe(303);
      writeUsers(USERS, () => 'another password');
      reload();
      expect((await attempt('anna', 'another password', anna)).status).toBe(429);
    });

    it('are still recognized after a restart', async () => {
      const device = await deviceOf('anna');
      ({ app } = open({ TRUST_PROXY: 'loopback' }));
      await guess('anna', 10);
      expect((await attempt('anna', passwordOf('anna'), device)).status).toBe(303);
    });

    it('are recognized by a cookie for logins only, which opens nothing else, one per user', async () => {
      const answer = await attempt('anna', passwordOf('anna'));
      const [cookie = ''] = (answer.headers['set-cookie'] as unknown as string[]).filter((each) =>
        each.startsWith(DEVICE),
      );
      expect(cookie).toMatch(
        /^console_device_[\da-f]{16}=[\w-]{43}\.[\w-]{43}; Max-Age=34560000; Path=\/login; Expires=[^;]*; HttpOnly; SameSite=Strict$/,
      );
      expect((await request(app).get('/').set('Cookie', cookieOf(answer, DEVICE))).status).toBe(303);
      expect((await deviceOf('ben')).split('=')[0]).not.toBe(cookieOf(answer, DEVICE).split('=')[0]);
      expect((await attempt('anna', 'wrong')).headers['set-cookie']).toBeUndefined();
    });
  });

  it('for one name are limited, whichever address they come from', async () => {
    const { app } = open({ TRUST_PROXY: 'loopback' });
    const from = (place: number, name: string) =>
      request(app)
        .post('/login')
        .set('X-Forwarded-For', `192.0.2.${String(place)}`)
        .type('form')
        .send({ name, password: `guess ${String(place)}` });
    for (let place = 0; place < 10; place += 1) expect((await from(place, 'anna')).status).toBe(403);
    expect((await from(11, 'anna')).status).toBe(429);
    expect((await from(12, 'ben')).status).toBe(403);
  });

  it('are logged with the client as LOG_CLIENT requires', async () => {
    await logIn(open({ LOG_CLIENT: 'network' }).app, 'anna', 'wrong');
    expect(lines[0]?.['client']).toBe('127.0.0.0/24');
    await logIn(open().app, 'anna', 'wrong');
    expect(lines[1]).not.toHaveProperty('client');
  });
});

describe('a record that cannot be stored', () => {
  it('is logged, and fails neither what it is about nor the process', async () => {
    const { app } = open({}, { record: () => Promise.reject(new Error('full')) });
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    expect((await logIn(app, 'anna', 'wrong')).status).toBe(403);
    const { cookie, token } = await loggedIn(app, 'anna');
    const post = (path: string) => request(app).post(path).set('Cookie', cookie).type('form').send({ token });
    expect((await post('/change')).status).toBe(200);
    expect((await post('/logout')).headers['location']).toBe('/login');
    await nextTurn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    const unstored = lines.filter(({ msg }) => msg === 'audit entry not stored');
    expect(unstored.map(({ who, action }) => [who, action])).toEqual([
      ['anna', 'log-in refused'],
      ['anna', 'log-in'],
      ['anna', 'retry'],
      ['anna', 'log-out'],
    ]);
  });
});

describe('a session', () => {
  const status = async (app: express.Express, cookie: string): Promise<number> =>
    (await request(app).get('/').set('Cookie', cookie)).status;

  it('ends on logout, which needs the token of a page', async () => {
    const { app } = open();
    const { cookie, token } = await loggedIn(app, 'anna');
    const logOut = (given: string) =>
      request(app).post('/logout').set('Cookie', cookie).type('form').send({ token: given });
    expect((await logOut('x')).status).toBe(403);
    expect(await status(app, cookie)).toBe(200);
    const out = await logOut(token);
    expect([out.status, out.headers['location'], cookieOf(out)]).toEqual([303, '/login', 'console_session=']);
    expect(await status(app, cookie)).toBe(303);
    expect(lines.at(-1)).toMatchObject({ msg: 'console log-out', user: 'anna' });
  });

  it('ends after eight hours', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const { app } = open();
      const { cookie } = await loggedIn(app, 'anna');
      jest.advanceTimersByTime(8 * 3_600_000 - 1);
      expect(await status(app, cookie)).toBe(200);
      jest.advanceTimersByTime(1);
      expect(await status(app, cookie)).toBe(303);
    } finally {
      jest.useRealTimers();
    }
  });

  it('ends when its user or password is removed from the file; a changed role applies at once', async () => {
    const { app, reload } = open();
    const [anna, ben] = [await loggedIn(app, 'anna'), await loggedIn(app, 'ben')];
    writeFileSync(
      USERS,
      JSON.stringify({ users: { anna: { role: 'viewer', secret: quickHash(passwordOf('anna')) } } }),
    );
    reload();
    expect(await status(app, ben.cookie)).toBe(303);
    expect((await request(app).get('/').set('Cookie', anna.cookie)).body).toMatchObject({ role: 'viewer' });

    writeUsers(USERS, () => 'another password');
    reload();
    expect(await status(app, anna.cookie)).toBe(303);
    expect((await logIn(app, 'anna')).status).toBe(403);
    expect((await logIn(app, 'anna', 'another password')).status).toBe(303);
  });

  it('is not opened by a password that changes while it is verified', async () => {
    const { app, reload } = open();
    const other = new LogIn();
    other.use(readUsers(USERS));
    const spy = jest.spyOn(LogIn.prototype, 'try').mockImplementationOnce(async (...args) => {
      const found = await other.try(...args);
      writeUsers(USERS, () => 'another password');
      reload();
      return found;
    });
    const { cookie } = await loggedIn(app, 'anna');
    spy.mockRestore();
    expect(cookie).not.toBe('');
    expect(await status(app, cookie)).toBe(303);
  });

  it('continues with the old file if the new one cannot be read', async () => {
    const { app, reload } = open();
    const { cookie } = await loggedIn(app, 'anna');
    writeFileSync(USERS, '{');
    expect(reload).toThrow('(ADMIN_USERS_FILE) is not valid JSON');
    expect(await status(app, cookie)).toBe(200);
  });

  it.each<
    readonly [
      string,
      (
        login: Omit<OpenLogin, 'streams'>,
        session: { readonly cookie: string; readonly token: string },
      ) => unknown,
    ]
  >([
    [
      'log-out',
      ({ app }, { cookie, token }) =>
        request(app).post('/logout').set('Cookie', cookie).type('form').send({ token }),
    ],
    [
      'removal of its user',
      ({ reload }) => {
        const ben = { role: 'viewer', secret: quickHash(passwordOf('ben')) };
        writeFileSync(USERS, JSON.stringify({ users: { ben } }));
        reload();
      },
    ],
    [
      'new password',
      ({ reload }) => {
        writeUsers(USERS, () => 'another password');
        reload();
      },
    ],
  ])('cuts off unfinished answers at the %s', async (_what, end) => {
    const { app, streams, reload } = open();
    const server = createServer(app);
    const port = String(await listen(server));
    try {
      const { cookie, token } = await loggedIn(app, 'anna');
      const stream = httpGet(`http://127.0.0.1:${port}/stream`, { headers: { cookie } });
      const [answer] = (await once(stream, 'response')) as [IncomingMessage];
      answer.on('error', () => undefined);
      await once(answer, 'data');
      const closed = new Promise((resolve) => answer.once('close', resolve));
      await end({ app, reload }, { cookie, token });
      expect(streams.map(({ destroyed }) => destroyed)).toEqual([true]);
      await closed;
      expect(answer.complete).toBe(false);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
