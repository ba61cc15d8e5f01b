import { ENGINES } from '../../harness/test-databases';
import { makeOlder } from '../../harness/make-older';
import { cellsOf } from './use-console';
import { useMessagePages } from './use-message-pages';
import { storeReceipt } from '../../harness/store-receipt';

describe.each(ENGINES)('the message pages on %s', (engine) => {
  const { console, enqueue, push, fail, listed } = useMessagePages(engine);

  const hoursOld = (id: string, hours: number): Promise<string> =>
    makeOlder(console.database.engine(), id, console.now - hours * 3_600_000);

  const text = (time: number): string => new Date(time).toISOString().replace('T', ' ').slice(0, 19);
  const idsIn = (text: string): readonly string[] =>
    [...text.matchAll(/<a href="\/messages\/([0-9a-f-]{36})">/g)].map(([, id = '']) => id);

  const DUE = 'due now; the next free worker will send it';

  it('shows that there are no messages yet', async () => {
    expect((await console.get('/messages?newer-than=any')).text).toContain('No messages yet.');
  });

  it('lists the messages for a URL, the newest first', async () => {
    const school = 'http://list.example';
    await push('DEV-1', school, { createdAt: console.now - 3000 });
    await push('DEV-2', school, { createdAt: console.now - 2000 });
    expect(await listed(`?school=${encodeURIComponent('HTTP://List.example/')}`)).toEqual([
      [text(console.now - 2000), 'queued', 'push', 'DEV-2', school, '0', DUE],
      [text(console.now - 3000), 'queued', 'push', 'DEV-1', school, '0', DUE],
    ]);
    expect(await listed(`?school=${school}&newer-than=2s`)).toHaveLength(1);
    expect(
      await listed(`?school=${school}&older-than=${new Date(console.now - 2000).toISOString()}`),
    ).toHaveLength(1);
    expect(await listed(`?school=${school}&state=failed`)).toEqual([]);
  });

  it('lists the last 24 hours by default, shows this, and links to longer periods', async () => {
    const school = 'http://window.example';
    for (const hours of [800, 100, 25, 23]) await hoursOld(await push('DEV-1', school), hours);
    const ask = async (query: string) => {
      const { text } = await console.get(`/messages?school=${school}${query}`);
      const [, words = '', links = ''] = /<p class="quiet">(Messages .*?)\. Show:(.*?)<\/p>/.exec(text) ?? [];
      return {
        words,
        found: idsIn(text).length,
        links: [...links.matchAll(/newer-than=(\w+)">([^<]+)/g)].map(([, age, name]) => [age, name]),
      };
    };
    const [week, month, any] = [
      ['7d', '7 days'],
      ['30d', '30 days'],
      ['any', 'all'],
    ];
    expect(await ask('')).toEqual({
      words: 'Messages of the last 24 hours',
      found: 1,
      links: [week, month, any],
    });
    expect(await ask('&newer-than=7d')).toEqual({
      words: 'Messages of the last 7 days',
      found: 3,
      links: [month, any],
    });
    expect(await ask('&newer-than=any')).toEqual({
      words: 'Messages of any age',
      found: 4,
      links: [week, month],
    });
    expect(await ask('&older-than=1d')).toMatchObject({ words: 'Messages older than 1 day', found: 3 });
  });

  it.each([
    ['?note=none', 'No messages. Try a longer time or fewer filters.'],
    ['?note=none&newer-than=any', 'No messages match.'],
    ['?request=7f5d5f3e-0000-4000-8000-000000000000', 'No messages match.'],
    ['?newer-than=any&older-than=2000-01-01T00:00:00Z', 'No messages. Try a longer time.'],
  ])('advises what can help where there are no messages: %s', async (query, advice) => {
    const { text } = await console.get(`/messages${query}`);
    expect(/No messages[^<]*/.exec(text)?.[0]).toBe(advice);
  });

  it('sums up the filter with ids as they are spelled, and choices as people say them', async () => {
    const { text } = await console.get(
      '/messages?state=failed_or_expired&reason=provider_timeout&class=9_A&student=queued&note=provider_timeout',
    );
    expect(/<span class="quiet">\((state.*?)\)/.exec(text)?.[1]).toBe(
      'state failed or expired, reason provider timeout, class 9_A, student queued, note provider_timeout',
    );
  });

  it.each(['retry', 'cancel'] as const)(
    'offers to %s messages of the last 24 hours by default, and shows this',
    async (action) => {
      const school = `http://window-${action}.example`;
      for (const hours of [25, 23]) await hoursOld(await push('DEV-1', school), hours);
      if (action === 'retry') await fail('push', 'service_failed');
      const asked = await console.post('/messages/confirm', { action, school });
      expect(asked.text).toContain('1 message of the last 24 hours: 1 push message.');
      await console.post('/messages/change', fieldsIn(asked.text));
      const states = action === 'retry' ? ['queued', 'failed'] : ['suppressed', 'queued'];
      expect(await statesOf(school)).toEqual(states);
      const again = await console.post('/messages/confirm', { action, school });
      expect(again.text).toMatch(/No messages of the last 24 hours can be (?:retried|cancelled)\./);
      const wider = await console.post('/messages/confirm', { action, school, 'newer-than': 'any' });
      expect(wider.text).toContain('1 message of any age: 1 push message.');
      await console.post('/messages/change', fieldsIn(wider.text));
      expect(new Set(await statesOf(school)).size).toBe(1);
    },
  );

  it('pages back and forth without repeating a message', async () => {
    const school = 'http://pages.example';
    const made: string[] = [];
    for (let count = 0; count < 70; count += 1) made.push(await push(`DEV-${String(count)}`, school));
    const first = (await console.get(`/messages?school=${school}`)).text;
    const linked = (text: string, name: string): string =>
      new RegExp(`<a href="([^"]*)"[^>]*>${name}<`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = (await console.get(linked(first, 'Older'))).text;
    expect([...idsIn(first), ...idsIn(second)]).toEqual(made.toReversed());
    expect(first).not.toMatch(/>New(?:er|est)</);
    expect(second).not.toContain('>Older<');
    const back = (await console.get(linked(second, 'Newer'))).text;
    expect(idsIn(back)).toEqual(idsIn(first));
    expect(idsIn((await console.get(linked(back, 'Older'))).text)).toEqual(idsIn(second));
    expect(idsIn((await console.get(linked(back, 'Newest'))).text)).toEqual(idsIn(first));
  });

  it('finds a number in any spelling, and never shows it or puts it in a URL', async () => {
    await enqueue({ recipient: '+905557778899' });
    const found = await console.post('/messages/find', { number: '(0555) 777 88 99', state: '', reason: '' });
    const address = found.headers.get('location') ?? '';
    expect(found.status).toBe(303);
    expect(address).toMatch(/^\/messages\?phone=[\w-]+$/);
    const page = await console.get(address);
    expect(page.text).toContain('<h1>Codes for +90...99</h1>');
    expect(idsIn(page.text)).toHaveLength(1);
    expect(page.text).not.toMatch(/777.{0,3}88/);
    // In the form, for the next question.
    expect(page.text).toContain('> Number +90...99');
  });

  it('takes a period, or dates and times of the time zone, from the form', async () => {
    const find = async (fields: Readonly<Record<string, string>>) => {
      const { headers } = await console.post('/messages/find', { school: 'http://time.example', ...fields });
      const address = new URL(headers.get('location') ?? '', console.origin);
      const { text: page } = await console.get(`${address.pathname}${address.search}`);
      const inForm = (name: string) =>
        new RegExp(`name="${name}" type="datetime-local" value="([^"]*)"`).exec(page)?.[1];
      return {
        ...{ newer: address.searchParams.get('newer-than'), older: address.searchParams.get('older-than') },
        ...{ from: inForm('from'), until: inForm('until') },
        period: /<option value="(\w+)" selected>(?:last|any age)/.exec(page)?.[1],
        words: /<p class="quiet">Messages (.*?)\. Show/.exec(page)?.[1],
      };
    };
    expect(await find({ period: '7d', from: '', until: '' })).toEqual({
      ...{ newer: '7d', older: null, from: '', until: '', period: '7d', words: 'of the last 7 days' },
    });
    expect(await find({ period: '7d', from: '2026-03-01T08:30', until: '2026-03-02T09:00' })).toEqual({
      ...{ newer: '2026-03-01T08:30:00.000Z', older: '2026-03-02T09:00:00.000Z', period: undefined },
      ...{ from: '2026-03-01T08:30', until: '2026-03-02T09:00' },
      words: 'since 2026-03-01 08:30:00, before 2026-03-02 09:00:00',
    });
    const { headers } = await console.post('/messages/find', { from: 'yesterday' });
    expect((await console.get(headers.get('location') ?? '')).text).toContain('not a valid age or time');
  });

  it('explains what is wrong with a URL', async () => {
    for (const [query, text] of [
      ['?phone=bm9ib2R5IHNlYWxlZCB0aGlzIHRleHQgaGVyZQ', 'is no longer valid'],
      ['?state=lost', 'Unknown state “lost”'],
      ['?reason=lost', 'Unknown reason “lost”. Expected one of: provider_timeout, '],
      ['?newer-than=yesterday', 'not a valid age or time'],
    ] as const) {
      const page = await console.get(`/messages${query}`);
      expect(page.status).toBe(400);
      expect(page.text).toContain(text);
    }
    const { headers } = await console.post('/messages/find', { number: 'nobody', class: '1A' });
    expect((await console.get(headers.get('location') ?? '')).text).toContain(
      'A phone number finds codes only',
    );
  });

  it('drops characters from a query that no database accepts', async () => {
    for (const path of [
      '/messages?school=%00x',
      '/messages?before=%00',
      '/messages?reason=%00',
      '/messages?id=%00x',
    ]) {
      expect([path, (await console.get(path)).status]).toEqual([path, 200]);
    }
    expect((await console.get('/messages/%00')).status).toBe(404);
  });

  it('shows the history of a message: details, attempts, and what to do', async () => {
    const id = await push('DEV-1', 'http://story.example');
    await fail('push', 'sender_mismatch');
    const { text: page } = await console.get(`/messages/${id}`);
    expect(page).toContain('Check FCM_SERVICE_ACCOUNT, or import the tokens of this project.');
    expect(cellsOf(page, 'Message details')).toContainEqual(['Id at the gateway', 'P-7']);
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain(
      'attempt 1 by fcm: refused. The device token belongs to another Firebase project (HTTP 403, SENDER_ID_MISMATCH). 0.01 s, id P-7',
    );
    expect(page).not.toContain('84021');
    expect((await console.get('/messages/nothing')).status).toBe(404);
  });

  it('shows the receipt of a code beside its state', async () => {
    const id = await enqueue({ recipient: '+905550000077' });
    const { now, store } = console;
    const lease = { owner: 'w', leaseUntil: now + 30_000 };
    await store.outbox.claim({ ...lease, channel: 'sms', limit: 99, now });
    await store.outbox.settle({
      ...{ id, ...lease, state: 'sent', nextAttemptAt: now, attempted: true, erase: true, reason: null, now },
      ...{ providerId: 'P', awaitsReceipt: true, gateway: 'own' },
    });
    await store.outbox.release('w', now);
    const parts = async (path: string) =>
      [
        ...(await console.get(path)).text.matchAll(
          /<span class="state \w+">(?:no receipt|undelivered)<\/span>/g,
        ),
      ].map(([part]) => part);
    const none = '<span class="state quiet">no receipt</span>';
    expect(await parts(`/messages/${id}`)).toEqual([none, none]);
    await storeReceipt(store, 'P', { state: 'undelivered', code: '7: off', at: now });
    const lost = '<span class="state bad">undelivered</span>';
    expect(await parts(`/messages/${id}`)).toEqual([lost, lost]);
    expect(await parts('/messages?channel=sms&state=sent')).toEqual([lost]);
    expect(await parts('/messages?receipt=undelivered')).toEqual([lost]);
    expect(await parts('/messages?receipt=none')).toEqual([]);
    expect((await console.get('/messages?receipt=none')).text).toContain(
      '<option value="none" selected>none</option>',
    );
  });

  it('finds messages by a reason that can be chosen in the form', async () => {
    const school = 'http://reason.example';
    await push('DEV-1', school);
    await fail('push', 'sender_mismatch');
    await push('DEV-2', school);
    await fail('push', 'service_failed');
    const { text: page } = await console.get(`/messages?school=${school}&reason=sender_mismatch`);
    expect(
      cellsOf(page, 'Messages')
        .slice(1)
        .map(([, , , to, , , reason]) => [to, reason]),
    ).toEqual([
      ['DEV-1', 'The device token belongs to another Firebase project (HTTP 403, SENDER_ID_MISMATCH).'],
    ]);
    expect(page).toContain('<option value="sender_mismatch" selected>sender mismatch</option>');
    expect(page).toContain('<option value="service_failed">service failed</option>');
  });

  it('shows a request with the results of its push messages', async () => {
    const request = await enqueue({
      channel: 'mark',
      recipient: '1A',
      school: 'http://request.example',
      note: 'N1',
    });
    await push('DEV-1', 'http://request.example', { requestId: request });
    const { text } = await console.get(`/messages/${request}`);
    expect(cellsOf(text, 'Push messages by result').slice(1)).toEqual([['queued', '1', '']]);
    expect(
      cellsOf(text, 'Messages')
        .slice(1)
        .map((cells) => cells[3]),
    ).toEqual(['DEV-1']);
  });

  it('groups push messages under their mark note, unless they are searched for', async () => {
    const school = 'http://group.example';
    const other = await enqueue({ channel: 'mark', recipient: '2B', school, createdAt: console.now - 9000 });
    const note = await enqueue({ channel: 'mark', recipient: '1A', school, createdAt: console.now - 8000 });
    await push('DEV-1', school, { requestId: note });
    await push('DEV-2', school, { requestId: note });
    await push('DEV-3', school, { requestId: other });
    await fail('push', 'sender_mismatch');
    await push('DEV-4', school, { requestId: note });
    const rows = (await listed(`?school=${school}`)).map(([created, state, , to]) => [created, state, to]);
    expect(rows).toEqual([
      [text(console.now - 1000), 'failed', 'DEV-3'],
      [text(console.now - 8000), 'queued', '1A'],
      ['3 push messages on this page', '1 queued 2 failed', 'devices of a mark note'],
      [text(console.now - 9000), 'queued', '2B'],
    ]);
    const { text: failed } = await console.get(`/messages?school=${school}&state=failed`);
    expect(cellsOf(failed, 'Messages').slice(1)).toHaveLength(2);
    const [, link = ''] = /href="([^"]+)">2 push messages/.exec(failed) ?? [];
    expect(await listed(link.replaceAll('&amp;', '&').replace('/messages', ''))).toHaveLength(2);
    expect(await listed(`?school=${school}&channel=push`)).toHaveLength(4);
    expect(await listed(`?request=${note}`)).toHaveLength(3);
  });

  /** Returns what the form of an answer would send. */
  const fieldsIn = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
  const statesOf = async (school: string) =>
    (await console.store.deliveries.list({ school }, 20)).map(({ state }) => state);

  it('offers to retry a message only while that can work', async () => {
    const id = await enqueue({ recipient: '+905553332299', expiresAt: console.now + 1000 });
    await fail('sms', 'service_failed');
    expect((await console.get(`/messages/${id}`)).text).toContain('value="retry"');
    console.now += 2000;
    expect((await console.get(`/messages/${id}`)).text).not.toContain('value="retry"');
  });

  it('names the note, class and school of a mark note and its push messages', async () => {
    const school = 'http://school.example';
    const request = await enqueue({ channel: 'mark', recipient: '1A', school, note: 'N2' });
    const id = await push('DEV-1', school, { requestId: request });
    for (const each of [request, id]) {
      const details = cellsOf((await console.get(`/messages/${each}`)).text, 'Message details');
      expect(details).toEqual(
        expect.arrayContaining([
          ['Note', 'Sözlü notu (N2)'],
          ['Class', 'Birinci sınıf A (1A)'],
          ['School', 'Gülbahçe Örnek Okulu'],
        ]),
      );
    }
  });

  it('shows a chip for each filter, which removes it again', async () => {
    const { text } = await console.get('/messages?channel=sms&state=failed_or_expired');
    const chips = /<nav class="chips".*<\/nav>/.exec(text)?.[0] ?? '';
    expect(chips).toContain('<a href="/messages?channel=sms" aria-current="true">Failed</a>');
    expect(chips).toContain('<a href="/messages?channel=sms&amp;state=queued">Waiting</a>');
    expect(chips).toContain('<a href="/messages?state=failed_or_expired" aria-current="true">Codes</a>');
  });

  it('exports the messages for a URL as CSV, which a spreadsheet treats as text', async () => {
    const school = 'http://csv.example';
    await push('=cmd|calc', school);
    await push('DEV-2', school);
    const { text, headers } = await console.get(`/messages.csv?school=${school}`);
    const lines = text.trimEnd().split(/\r?\n/);
    expect(headers.get('content-disposition')).toContain('messages.csv');
    // It holds personal data: no cache between may keep it.
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(lines[0]).toMatch(/^id,channel,state,to,/);
    expect(lines.slice(1).map((line) => line.split(',')[3])).toEqual(['DEV-2', "'=cmd|calc"]);
    expect(lines[1]).toMatch(/,due,due now; the next free worker will send it$/);
  });
});
