import { sql } from 'kysely';

import { makeEarlierDatabase } from '../support/other-versions';
import { ENGINES, useDatabase } from '../support/test-databases';

const PHONE = '+905551112233';
const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-02T10:00:00Z');
const TODAY = Math.floor(NOW / (24 * HOUR));

describe.each(ENGINES)('a store on %s that an earlier version has left', (engineName) => {
  const database = useDatabase(engineName, { holds: 'nothing' });

  const madeUpTo = (step: string, statements: readonly string[]) =>
    makeEarlierDatabase(database.url, step, statements);

  const message = (id: string, channel: string, recipient: string, createdAt: number): string =>
    `insert into messages (id, channel, state, recipient, school, payload, dedupe_key, attempts,
        next_attempt_at, expires_at, created_at, updated_at)
      values ('${id}', '${channel}', 'sent', '${recipient}', '', null, null, 1,
        ${String(createdAt)}, ${String(createdAt)}, ${String(createdAt)}, ${String(createdAt)})`;

  it('keeps its messages, and what counts against the limits', async () => {
    await madeUpTo('0005_forgetting', [
      message('1', 'sms', PHONE, NOW),
      message('2', 'sms', '+90...33', NOW - 48 * HOUR),
      message('3', 'push', 'DEV-1', NOW),
      `insert into daily_codes (day, codes) values (${String(TODAY)}, 7)`,
    ]);
    const store = await database.open();

    const stored = await store.messages.list({ limit: 10 });
    expect(stored.map(({ id, recipient, caller }) => [id, recipient, caller])).toEqual([
      ['3', 'DEV-1', undefined],
      ['2', '+90...33', undefined],
      ['1', PHONE, undefined],
    ]);
    expect(await store.sentCodes.endingLike('05551112233', NOW - 24 * HOUR)).toMatchObject([
      { id: '1', phone: PHONE, caller: null },
    ]);
    expect(await store.sentCodes.ofDay(TODAY)).toEqual([{ caller: '', codes: 7 }]);
  });

  it('knows which notes went out shortly before, and leaves requests and push messages as they were', async () => {
    await madeUpTo('0007_code_traffic', [
      message('1', 'mark', '1A', NOW - 48 * HOUR),
      message('2', 'mark', '1A', NOW),
      message('3', 'mark', '1B', NOW),
      message('4', 'push', 'DEV-1', NOW),
      `update messages set dedupe_key = 'key' where id = '2'`,
      `update messages set dedupe_key = 'other', state = 'failed', payload = '{"note":"N1"}' where id = '3'`,
    ]);
    const store = await database.open();
    const resolved = (key: string, since: number) =>
      store.write(({ markRequests }) => markRequests.resolvedSince(key, since));
    expect(await resolved('key', NOW - 1)).toBe(true);
    expect(await resolved('key', NOW)).toBe(false);
    expect(await resolved('other', NOW - 1)).toBe(false);

    const records = await store.deliveries.list({}, 10);
    expect(
      records.map(({ id, state, requestId, withoutDevice }) => [id, state, requestId, withoutDevice]),
    ).toEqual([
      ['4', 'sent', null, null],
      ['3', 'failed', null, null],
      ['2', 'sent', null, null],
      ['1', 'sent', null, null],
    ]);
    expect(await store.requestEnds.openAfter('')).toEqual([]);
    expect(await store.deliveries.list({ note: 'N1' }, 9)).toMatchObject([{ id: '3', note: 'N1' }]);
    expect(await store.deliveries.retry({ channel: 'mark' }, NOW + 1)).toBe(1);
    expect((await store.deliveries.list({ ids: ['3'] }, 1))[0]).toMatchObject({ state: 'queued' });
  });

  if (engineName === 'sqlite') return;

  it('has its queue cleared away after a few hundredths of it have changed, however large it is', async () => {
    await madeUpTo('0017_marks', []);
    await database.open();
    const { rows } = await sql<{ reloptions: string[] }>`
    select reloptions from pg_class where relname = 'messages'`.execute(database.engine().direct.kysely);
    expect(rows[0]?.reloptions).toContain('autovacuum_vacuum_scale_factor=0.03');
  });
});
