import type { NewMessage } from '../../../src/store';
import { failMessages } from './fail-messages';
import { cellsOf, useConsole } from './use-console';

const SCHOOL = 'http://school.example';

describe('the overview of a fresh installation', () => {
  const console = useConsole('sqlite');

  it('notes without alarm that no messages are sent', async () => {
    const { text } = await console.get('/');
    expect(text).toContain('<strong>Running, with notices</strong>');
    expect(text).toMatch(
      /<li class="info"><details [^>]*><summary><strong>Trial mode: SMS and push messages are not sent\.</,
    );
    expect(text).not.toContain('All systems normal');
  });

  it('shows how many codes failed in the last minutes', async () => {
    const at = console.now - 2 * 60_000;
    const code = (end: number): NewMessage => ({
      ...{ channel: 'sms', recipient: `+9055511122${String(end)}`, school: '', payload: { code: '1' } },
      ...{ dedupeKey: null, createdAt: at, expiresAt: at + 300_000 },
    });
    const { store } = console;
    const reason = { code: 'provider_rejected', status: 400 } as const;
    for (const end of [10, 10, 20, 30]) await store.messages.enqueue(code(end));
    await failMessages(store, { channel: 'sms', reason, now: at });
    for (const end of [40, 50]) await store.messages.enqueue(code(end));
    await store.deliveries.cancel({ channel: 'sms' }, at);
    const { text } = await console.get('/');
    expect(text).toContain('<strong class="bad">Needs attention</strong>');
    expect(text).toContain('4 of 6 (67%) codes to 3 of 5 numbers failed or expired in the last 10 minutes.');
    console.now += 9 * 60_000;
    expect((await console.get('/')).text).not.toContain('codes to');
  });
});

describe('the console’s pages', () => {
  const console = useConsole('sqlite', {
    ...{ CODE_LIMITS: '5/10m,21/24h', ADMIN_METRICS_TOKEN: 'open-sesame-and-more' },
    ROLE: 'web', // Another process delivers.
  });

  const enqueue = (school = SCHOOL) =>
    console.store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-1', school, payload: { note: 'N1' }, dedupeKey: null },
      ...{ createdAt: console.now - 65_000, expiresAt: console.now + 300_000 },
    });

  it('show waiting messages', async () => {
    await enqueue();
    const { text, headers } = await console.get('/');
    expect(text).toMatch(/<h2>Waiting<\/h2><p><strong>1<\/strong>.*oldest 1 min 5 s: <a [^>]*>push 1<\/a>/s);
    expect(cellsOf(text, 'Service')).toContainEqual(['Version', '1.2.3']);
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "style-src 'self'", "script-src 'self'"]),
    );
    expect(text).not.toMatch(/<script>|<style|style="/);
  });

  it('show the other nodes and their alerts', async () => {
    const facts = { version: '1.2.4', processes: 3, circuits: [{ channel: 'sms', isOpen: true }] } as const;
    await console.store.nodes.say('node-1:8080', { ...facts, version: 'own' }, console.now);
    await console.store.nodes.say('node-2:8080', { ...facts, disk: { free: 5e11, size: 1e12 } }, console.now);
    await console.store.nodes.say('node-3:8080', facts, console.now - 600_000);
    const { text } = await console.get('/');
    expect(text).toContain('Node node-3:8080 is silent.');
    expect(cellsOf(text, 'Other nodes').slice(1)).toEqual([
      ['node-2:8080', '1.2.4', expect.any(String), '3', 'sms paused', '500 of 1,000 GB'],
      ['node-3:8080', '1.2.4', expect.stringMatching(/ silent$/), '3', 'sms paused', 'not known'],
    ]);
    for (const name of ['node-1:8080', 'node-2:8080', 'node-3:8080']) await console.store.nodes.leave(name);
  });

  it('show rejected requests by reason, operation and binding', async () => {
    const reason = 'Missing parameter: phone.';
    const rows = [
      [reason, 'One', 'get', '4'],
      [reason, 'One', 'post', '3'],
      [reason, 'Two', 'post', '2'],
      ['Parameter phone is empty.', 'Two', 'post', '1'],
    ] as const;
    await console.store.stats.add(
      rows.map(([why, operation, binding, count]) => ({
        ...{ at: console.now - 60_000, figure: 'errors', labels: [operation, binding, why] },
        count: Number(count),
      })),
      [],
      console.now,
    );
    const { text } = await console.get('/requests');
    // Other tests count errors, too.
    const shown = cellsOf(text, 'Rejected requests').filter(
      ([, operation]) => operation === 'One' || operation === 'Two',
    );
    expect(shown).toEqual(rows);
  });

  it.each([
    ['an invalid time', '?from=yesterday'],
    ['a span that ends before it begins', '?from=2026-03-02T10:00Z&to=2026-03-02T09:00Z'],
    ['minutes of more than a day', '?from=2026-03-01T10:01Z&to=2026-03-02T10:02Z'],
    ['more than a month', '?from=2026-01-01T10:00Z&to=2026-03-02T10:00Z'],
  ])('refuse %s', async (_, query) => {
    const { status, text } = await console.get(`/requests${query}`);
    expect(status).toBe(400);
    expect(text).toMatch(/not a valid time|must be before/);
  });

  it('name the schools in their heads, also while the database does not answer', async () => {
    const brand = async () => /<p class="brand">.*?<\/p>/s.exec((await console.get('/settings')).text)?.[0];
    const known = await brand();
    expect(known).toMatch(/<span class="quiet">\d schools<\/span>/);
    const overview = jest.spyOn(console.store.schools, 'overview').mockRejectedValueOnce(new Error('no'));
    try {
      console.now += 60_000;
      expect(await brand()).toBe(known);
      expect(overview).toHaveBeenCalledTimes(1);
    } finally {
      overview.mockRestore();
    }
  });

  it('show schools and their classes', async () => {
    const { text } = await console.get('/schools');
    const [school = []] = cellsOf(text, 'Schools').filter(([name]) => name === 'Gülbahçe Örnek Okulu');
    expect(school.slice(1, 4)).toEqual(['34', expect.any(String), expect.any(String)]);
    const page = (await console.get(`/schools/school?url=${encodeURIComponent(SCHOOL)}`)).text;
    expect(
      cellsOf(page, 'Classes')
        .slice(1)
        .map(([name, students]) => [name, students]),
    ).toEqual([
      ['1A Birinci sınıf A', '19'],
      ['1B الصف الأول ب', '14'],
      ['no class', '1'],
    ]);
    const other = (await console.get('/schools/school?url=http://village.example')).text;
    expect(other).toContain('No messages yet.'); // The list has no filters.
    const { headers } = await console.get('/schools/school?url=http://none.example');
    expect(headers.get('location')).toBe('/messages?school=http%3A%2F%2Fnone.example&newer-than=any');
  });

  it('show which callers called with which result, by name if there is one', async () => {
    const call = { operation: 'AuthCode', binding: 'get', outcome: 'ok', at: console.now, requests: 3 };
    await console.store.stats.add(
      [],
      [
        { ...call, caller: 'portal', address: undefined, agent: 'dotnet' },
        { ...call, caller: undefined, address: '192.0.2.0/24', agent: 'curl', at: console.now - 60_000 },
        {
          ...call,
          caller: 'app',
          address: undefined,
          agent: 'java',
          outcome: 'silent',
          at: console.now - 120_000,
        },
        {
          ...{ ...call, caller: 'old-app', address: undefined, agent: 'php' },
          ...{ outcome: 'different', at: console.now - 180_000 },
        },
      ],
      console.now,
    );
    expect(cellsOf((await console.get('/callers')).text, 'Callers').slice(1)).toEqual([
      ['portal', 'AuthCode', 'get', 'OK', '3', expect.any(String), 'dotnet', ''],
      ['unknown', 'AuthCode', 'get', 'OK', '3', expect.any(String), 'curl', '192.0.2.0/24'],
      ['app', 'AuthCode', 'get', 'old server too slow', '3', expect.any(String), 'java', ''],
      ['old-app', 'AuthCode', 'get', 'compared, with differences', '3', expect.any(String), 'php', ''],
    ]);
  });

  it('show settings and where they come from, but no secrets', async () => {
    const { text } = await console.get('/settings');
    expect(cellsOf(text, 'Settings')).toContainEqual(['CODE_LIMITS', 'environment', '5/10m,21/24h']);
    expect(cellsOf(text, 'Settings').flat()).not.toContain('default');
    expect(cellsOf(text, 'Limits on sending').flat()).not.toContain('CODE_LIMITS');
    expect(cellsOf(text, 'Texts and time zone')).toContainEqual(['TIME_ZONE', 'UTC']);
    expect(cellsOf(text, 'Store')).toContainEqual(['engine', expect.stringMatching(/^SQLite/)]);
    expect(text).not.toContain('open-sesame');
  });

  it('show forwarded requests to which the old server gave no answer', async () => {
    expect((await console.get('/requests')).text).not.toContain('Forwarded');
    const at = console.now - 60_000;
    await console.store.stats.add(
      [
        ['AuthCode', 'get', 'answered'],
        ['AuthCode', 'get', 'fallback'],
        ['AuthCode', 'get', 'silent'],
        ['AuthCode', 'get', 'unreachable'],
        ['AuthCode', 'post', 'broken'],
        ['GetNoteType', 'get', 'answered'],
        ['none', 'none', 'answered'],
      ].map((labels, index) => ({ at, figure: 'forwarded' as const, labels, count: index + 1 })),
      [],
      console.now,
    );
    const { text } = await console.get('/requests');
    const [names, ...rows] = cellsOf(text, 'Forwarded');
    expect(names).toEqual(['Operation', 'Binding', 'Requests', 'Fell back', 'No answer']);
    expect(rows.toSorted()).toEqual([
      ['AuthCode', 'get', '10', '2', '7'],
      ['AuthCode', 'post', '5', '0', '5'],
      ['GetNoteType', 'get', '6', '0', '0'],
      ['no operation', '–', '7', '0', '0'],
    ]);
  });

  it.each([
    ['/requests', 'Requests', 200],
    ['/callers', 'Callers', 200],
    ['/settings', 'Settings', 200],
    ['/messages', 'Messages', 200],
    ['/schools', 'Schools', 200],
    ['/nowhere', 'Not found', 404],
  ])('have their titles: %s', async (path, title, status) => {
    const page = await console.get(path);
    expect(page.text).toContain(`<title>${title} – Console</title>`);
    expect(page.text).toContain(`<h1>${title}`);
    expect(page.status).toBe(status);
  });

  it('leave the path of the metrics to them', async () => {
    expect((await console.get('/metrics')).text).not.toContain('Page not found.');
  });

  it('report a missing page and an unreadable request', async () => {
    const missing = await console.get('/nothing/here');
    expect([missing.status, missing.text.includes('Page not found.')]).toEqual([404, true]);
    // It belongs to no section.
    expect(missing.text).not.toContain('aria-current="page"');
    const long = await console.post('/messages/find', { reason: 'x'.repeat(20_000) });
    expect([long.status, long.text.includes('Invalid request.')]).toEqual([413, true]);
  });

  it('serve the package’s styles and scripts, and no other file', async () => {
    for (const [name, text] of [
      ['console.css', '--accent'],
      ['console.js', 'EventSource'],
    ] as const) {
      expect((await console.get(`/assets/${name}`)).text).toContain(text);
    }
    expect((await console.get('/assets/../package.json')).status).toBe(404);
    expect((await console.get('/assets/%2e%2e%2fpackage.json')).status).toBe(404);
  });
});
