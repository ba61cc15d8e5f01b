import { timeOfMessageId } from '../../../src/store/outbox/messages';
import { ENGINES } from '../../harness/test-databases';
import { useMessagePages } from './use-message-pages';

describe.each(ENGINES)('changes on the message pages, on %s', (engine) => {
  const { console, enqueue, push, fail, listed } = useMessagePages(engine);

  /** Returns what the form of an answer would send. */
  const fieldsIn = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
  const statesOf = async (school: string) =>
    (await console.store.deliveries.list({ school }, 20)).map(({ state }) => state);

  it('retries the failed messages of a filter after showing how many there are', async () => {
    const school = 'http://retry.example';
    for (let count = 0; count < 3; count += 1) await push(`DEV-${String(count)}`, school);
    await fail('push', 'sender_mismatch');
    const waiting = await push('DEV-9', school);
    const asked = await console.post('/messages/confirm', { action: 'retry', school });
    expect(asked.text).toContain('3 messages of the last 24 hours: 3 push messages.');
    const fields = fieldsIn(asked.text);
    // Comes between question and answer.
    console.now += 1000;
    const done = await console.post('/messages/change', fields);
    const address = done.headers.get('location') ?? '';
    expect(done.status).toBe(303);
    expect((await console.get(address)).text).toContain('3 messages queued again.');
    expect(console.recorded).toEqual([{ action: 'retry', messages: 3, school }]);
    const states = await console.store.deliveries.list({ school }, 10);
    expect(states.map(({ id, state }) => [state, id === waiting])).toEqual([
      ['queued', true],
      ...Array.from({ length: 3 }, () => ['queued', false]),
    ]);
  });

  it.each([
    ['retry', {}],
    ['retry', { 'older-than': '0s' }],
    ['retry', { 'newer-than': '1h' }],
    ['cancel', {}],
    ['cancel', { 'older-than': '0s' }],
    ['cancel', { 'newer-than': '1h' }],
  ] as const)(
    '%ss what was counted (%j), and no messages that arrived after the question',
    async (action, span) => {
      const school = `http://${action}-${Object.keys(span).join('')}.fixed.example`;
      const end = () => (action === 'retry' ? fail('push', 'sender_mismatch') : undefined);
      const untouched = action === 'retry' ? 'failed' : 'queued';
      const changed = action === 'retry' ? 'queued' : 'suppressed';
      for (let count = 0; count < 2; count += 1) await push('DEV-1', school);
      await end();
      const asked = await console.post('/messages/confirm', { action, school, ...span });
      expect(asked.text).toMatch(/2 messages (?:of the last|older than) .*: 2 push messages\./);
      const fields = fieldsIn(asked.text);
      console.now += 2000;
      await push('DEV-2', school, { createdAt: console.now - 1000 });
      await end();
      console.now += 60_000;
      await console.post('/messages/change', fields);
      expect(await statesOf(school)).toEqual([untouched, changed, changed]);
      expect(console.recorded).toEqual([{ action, messages: 2, school }]);
    },
  );

  it('asks again before it retries what may have been sent, and says what it leaves out', async () => {
    const phones = ['+905551112211', '+905551112222', '+905551112233'] as const;
    const code = (recipient: string, life = 300_000) =>
      enqueue({ channel: 'sms', recipient, payload: { code: '1' }, expiresAt: console.now + life });
    const unclear = await code(phones[0]);
    await fail('sms', 'provider_timeout');
    const certain = await code(phones[1]);
    await fail('sms', 'service_failed');
    await code(phones[2], 500);
    await fail('sms', 'service_failed');
    console.now += 1000;
    const filter = { channel: 'sms', state: 'failed', 'newer-than': '1m' };
    const asked = await console.post('/messages/confirm', { action: 'retry', ...filter });
    expect(asked.text).toContain('Left out: 1 code, which has expired.');
    expect(asked.text).toContain('Send 1 SMS again that the gateway may have sent already.');
    const stateOf = async (id: string) =>
      (await console.store.deliveries.list({ ids: [id] }, 1)).map(({ state }) => state);
    await console.post('/messages/change', fieldsIn(asked.text));
    expect([await stateOf(unclear), await stateOf(certain)]).toEqual([['failed'], ['queued']]);
    const one = await console.post('/messages/confirm', { action: 'retry', id: unclear });
    expect(one.text).toContain('<input type="checkbox" name="again" value="yes" required>');
    await console.post('/messages/change', { ...fieldsIn(one.text), again: 'yes' });
    expect(await stateOf(unclear)).toEqual(['queued']);
  });

  it.each([
    ['state=sent', []],
    ['state=written', []],
    ['receipt=delivered', []],
    ['state=failed', ['retry']],
    ['state=queued', ['cancel']],
    ['channel=sms', ['retry', 'cancel']],
  ])('offers for a list with %s only what can do something: %j', async (query, actions) => {
    const { text } = await console.get(`/messages?${query}`);
    const offered = [...text.matchAll(/name="action" value="(\w+)"/g)].map(([, action]) => action);
    // What no message of a short list allows is left out.
    expect(actions).toEqual(expect.arrayContaining(offered));
    if (offered.length === 0) expect(text).not.toContain('name="action"');
  });

  it('cancels one waiting message, and leaves those that arrive after the question', async () => {
    const school = 'http://cancel.example';
    const id = await push('DEV-1', school);
    const asked = await console.post('/messages/confirm', { action: 'cancel', id });
    expect(asked.text).toContain('1 message: 1 push message.');
    await console.post('/messages/change', { action: 'cancel', id });
    expect(await listed(`?school=${school}`)).toEqual([
      [expect.any(String), 'suppressed', 'push', 'DEV-1', school, '0', 'Cancelled by an operator.'],
    ]);
    const later = await console.store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-2', school, payload: {}, dedupeKey: null },
      ...{ createdAt: console.now + 5000, expiresAt: console.now + 300_000 },
    });
    expect(timeOfMessageId(later)).toBe(console.now + 5000);
    await console.post('/messages/change', {
      action: 'cancel',
      school,
      'older-than': new Date(console.now).toISOString(),
    });
    expect((await console.store.deliveries.list({ ids: [later] }, 1))[0]?.state).toBe('queued');
  });

  it('changes several messages only if the filter has more than a time', async () => {
    await push('DEV-1', 'http://bulk.example');
    expect((await console.get('/messages?newer-than=1h')).text).not.toContain('name="action"');
    expect((await console.get('/messages?state=queued')).text).toContain('value="cancel"');
    for (const path of ['/messages/confirm', '/messages/change']) {
      const refused = await console.post(path, { action: 'cancel', 'newer-than': '1h' });
      expect([path, refused.status]).toEqual([path, 400]);
      expect(refused.text).toContain('Filter the messages before you retry or cancel them.');
    }
    expect(console.recorded).toEqual([]);
  });

  it('does not count expired codes', async () => {
    await enqueue({ recipient: '+905553332211', expiresAt: console.now + 1000 });
    await fail('sms', 'service_failed');
    const number = await console.post('/messages/find', { number: '+905553332211' });
    const phone = new URL(number.headers.get('location') ?? '', 'http://a').searchParams.get('phone') ?? '';
    expect((await console.post('/messages/confirm', { action: 'retry', phone })).text).toContain(
      '1 message of any age: 1 SMS.',
    );
    console.now += 2000;
    expect((await console.post('/messages/confirm', { action: 'retry', phone })).text).toContain(
      'No messages of any age can be retried.',
    );
  });

  it('changes nothing for a forged form or for a viewer', async () => {
    const school = 'http://forged.example';
    const id = await push('DEV-1', school);
    for (const path of ['/messages/change', '/messages/confirm', '/messages/find']) {
      expect((await console.post(path, { action: 'cancel', id, token: 'guessed' })).status).toBe(403);
    }
    console.role = 'viewer';
    expect((await console.get(`/messages/${id}`)).text).not.toContain('<button name="action"');
    const refused = await console.post('/messages/change', { action: 'cancel', id });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Your role (viewer)');
    expect(console.recorded).toEqual([]);
    expect((await console.store.deliveries.list({ ids: [id] }, 1))[0]?.state).toBe('queued');
  });
});
