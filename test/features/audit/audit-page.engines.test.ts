import { join } from 'node:path';

import type { Action } from '../../../src/admin/login/actions';
import { LANGUAGES, Words } from '../../../src/admin/texts/words';
import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import { Audit, type AuditFilter } from '../../../src/features/audit/audit';
import { record } from '../../../src/features/audit/record';
import { ENGINES } from '../../harness/test-databases';
import { runCommand } from '../../harness/run-command';
import { useFolder } from '../../harness/use-folder';
import { passwordOf, writeUsers } from '../../admin/login/users';
import { cellsOf, useConsole } from '../../admin/console/use-console';

const DAY = 86_400_000;
const PHONE = '+905551234567';
const SCHOOL = 'http://audit.example';
const folder = useFolder();
const USERS = join(folder, 'users.json');
writeUsers(USERS);

describe.each(ENGINES)('the audit log on %s', (engine) => {
  const console = useConsole(engine, { ADMIN_USERS_FILE: USERS, TIME_ZONE: 'America/New_York' });
  let anna: { readonly cookie: string; readonly token: string };

  const send = (path: string, init: RequestInit = {}) =>
    fetch(console.origin + path, { redirect: 'manual', ...init });
  const enter = (name: string, password: string) =>
    send('/login', { method: 'POST', body: new URLSearchParams({ name, password }) });
  const read = async (path: string) => {
    const response = await send(path, { headers: { cookie: anna.cookie } });
    return { status: response.status, text: await response.text() };
  };
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    send(path, {
      method: 'POST',
      headers: { cookie: anna.cookie },
      body: new URLSearchParams({ ...fields, token: anna.token }),
    });
  /**
   * Returns who, what and the details of the entries, oldest first; logins are recorded while their answer is on its
   * way.
   */
  const entries = async (query = '') =>
    cellsOf((await read(`/audit${query}`)).text, 'Audit')
      .slice(1)
      .map(([, ...cells]) => cells)
      .toReversed();
  const list = (filter: AuditFilter, limit = 1000) => console.store.repository(Audit).list(filter, limit);
  const add = (done: Action): Promise<void> => record(console.store, done);
  const recorded = async (most: number): Promise<void> => {
    while ((await list({})).length < most) await new Promise(setImmediate);
  };
  const enqueue = () =>
    console.store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-1', school: SCHOOL, payload: { note: 'N1' }, dedupeKey: null },
      ...{ createdAt: console.now - 1000, expiresAt: console.now + DAY },
    });

  beforeEach(async () => {
    await console.store.write((transaction) => transaction.repository(Audit).removeBefore(Date.now() + DAY));
    const entered = await enter('anna', passwordOf('anna'));
    const cookie = (entered.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const page = await (await send('/messages', { headers: { cookie } })).text();
    anna = { cookie, token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '' };
    await recorded(1);
  });

  it.each(LANGUAGES)('shows the service’s own words in $name, and names as they are', async ({ tag }) => {
    const detail = { result: 'refused', state: 'failed', files: 'retry' };
    await add({ at: Date.now(), who: 'service', action: 'import', detail });
    const headers = { cookie: anna.cookie, 'Accept-Language': tag };
    const text = await (await send('/audit', { headers })).text();
    const words = new Words(tag, 'UTC');
    const [result, state, files] = (['result', 'state', 'files'] as const).map((name) => words.t(name));
    const [refused, failed] = (['refused', 'failed'] as const).map((value) => words.t(value));
    expect(text).toContain(
      `${result ?? ''}: ${refused ?? ''}, ${state ?? ''}: ${failed ?? ''}, ${files ?? ''}: retry`,
    );
  });

  it('records logins, failed logins and logouts, but not the name of an unknown user', async () => {
    await enter('ben', 'wrong');
    await recorded(2);
    await enter('my-secret-password', 'x');
    await recorded(3);
    await enter('ben', passwordOf('ben'));
    await recorded(4);
    await post('/logout', {});
    await recorded(5);
    const { headers } = await enter('anna', passwordOf('anna'));
    anna = { ...anna, cookie: (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
    await recorded(6);
    expect(await entries()).toEqual([
      ['anna', 'log-in', ''],
      ['ben', 'log-in refused', 'reason: wrong'],
      ['unknown', 'log-in refused', 'reason: wrong'],
      ['ben', 'log-in', ''],
      ['anna', 'log-out', ''],
      ['anna', 'log-in', ''],
    ]);
    expect((await read('/audit')).text).not.toContain('my-secret-password');
  });

  it('records what users and commands change and delete, without full phone numbers', async () => {
    await enqueue();
    await post('/messages/change', { action: 'cancel', school: SCHOOL });
    await post('/messages/change', { action: 'retry', school: SCHOOL });
    const { headers } = await post('/messages/find', { number: PHONE });
    const address = headers.get('location') ?? '';
    await read(address.replace('/messages', '/messages.csv'));
    const place = { folder: console.database.folder, settings: { DATABASE_URL: console.database.url } };
    await runCommand('deliveries', ['cancel', '--school', SCHOOL, '--newer-than', 'any'], place);
    await runCommand('forget', ['--device', 'DEV-1', '--dry-run'], place);
    await runCommand('forget', ['--phone', PHONE], place);
    expect((await entries()).slice(1)).toEqual([
      ['anna', 'cancel', `messages: 1, school: ${SCHOOL}`],
      ['anna', 'retry', `messages: 1, school: ${SCHOOL}`],
      ['anna', 'export', 'what: messages, phone: +90...67'],
      ['command line', 'cancel', 'messages: 1, by: school, newerThan'],
      [
        ...['command line', 'forget'],
        'by: phone, students: 0, devices: 0, messages: 0, cancelled: 0, refused: 0',
      ],
    ]);
    expect((await read('/audit.csv')).text).not.toContain('5551234567');
    expect((await entries()).at(-1)).toEqual(['anna', 'export', 'what: audit']);
  });

  it('records everything that is done, but only a hundred refused logins an hour', async () => {
    const { store } = console;
    // The limit is that of a store as the service has it.
    const own = { write: store.write.bind(store) };
    for (let count = 0; count < 101; count += 1)
      for (const action of ['retry', 'log-in refused'] as const)
        await record(own, { at: Date.now(), who: 'zoe', action, detail: {} });
    const count = async (action: Action['action']) => (await list({ action })).length;
    expect([await count('retry'), await count('log-in refused')]).toEqual([101, 100]);
  });

  it('is filtered by person and by day, and exported as CSV', async () => {
    const at = Date.parse('2026-02-03T12:00:00Z');
    for (const [who, days] of [
      ['=cmd', 0],
      ['=cmd', 1],
      ['zoe', 1],
    ] as const)
      await add({ at: at + days * DAY, who, action: 'retry', detail: { messages: days } });
    expect(await entries('?who=%3Dcmd')).toHaveLength(2);
    expect(await entries('?day=2026-02-04')).toEqual([
      ['=cmd', 'retry', 'messages: 1'],
      ['zoe', 'retry', 'messages: 1'],
    ]);
    expect(await entries('?day=2026-02-04&who=zoe')).toHaveLength(1);
    // The end of a day belongs to the next one.
    expect(await list({ from: at, until: at + DAY })).toMatchObject([{ at }]);
    expect(await entries('?day=nonsense')).toHaveLength(4);
    expect((await read('/audit.csv?day=2026-02-03')).text.trimEnd().split(/\r?\n/)).toEqual([
      'time,who,action,details',
      "2026-02-03T12:00:00.000Z,'=cmd,retry,messages: 0",
    ]);
  });

  it.each([
    ['2025-03-09', '2025-03-09T05:00:00Z', '2025-03-10T04:00:00Z'],
    ['2025-11-02', '2025-11-02T04:00:00Z', '2025-11-03T05:00:00Z'],
  ])('shows the entries of %s by the clock of TIME_ZONE, which changes on it', async (day, begin, end) => {
    const times = [Date.parse(begin) - 1, Date.parse(begin), Date.parse(end) - 1, Date.parse(end)];
    for (const at of times)
      await add({ at, who: 'zoe', action: 'retry', detail: { messages: times.indexOf(at) } });
    const details = (await entries(`?day=${day}`)).map(([, , detail]) => detail);
    expect(details).toEqual(['messages: 1', 'messages: 2']);
  });

  it('links to older entries', async () => {
    for (let count = 0; count < 120; count += 1)
      await add({ at: Date.now(), who: 'zoe', action: 'retry', detail: { messages: count } });
    const { text } = await read('/audit?who=zoe');
    const [, older = ''] = /href="([^"]+)" rel="next"/.exec(text) ?? [];
    const rest = await entries(older.replaceAll('&amp;', '&').replace('/audit', ''));
    expect(rest.map(([, , details]) => details)).toEqual(
      Array.from({ length: 20 }, (_, at) => `messages: ${String(at)}`),
    );
  });

  it('is shown only to operators, and kept for a year', async () => {
    const { headers } = await enter('hale', passwordOf('hale'));
    await recorded(2);
    const cookie = (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const page = await (await send('/messages', { headers: { cookie } })).text();
    expect(page).not.toContain('href="/audit"');
    expect((await read('/messages')).text).toContain('href="/audit"');
    for (const path of ['/audit', '/audit.csv'])
      expect((await send(path, { headers: { cookie } })).status).toBe(403);

    await eraseExpired(console.store, 1, Date.now() + 365 * DAY);
    expect(await list({}, 9)).not.toEqual([]);
    await eraseExpired(console.store, 1, Date.now() + 367 * DAY);
    expect(await list({}, 9)).toEqual([]);
  });
});
