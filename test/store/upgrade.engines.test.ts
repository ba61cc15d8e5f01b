import { sql } from 'kysely';

import { MIGRATIONS } from '../../src/store/migrations/migrate';
import { becomeNextVersion, NEXT_STEP } from '../harness/other-versions';
import { ENGINES, useDatabase } from '../harness/test-databases';

describe.each(ENGINES)('a store on %s left by an earlier version', (engineName) => {
  const database = useDatabase(engineName, { holds: 'sample school' });
  const empty = useDatabase(engineName, { holds: 'nothing' });
  const tables = async () => {
    const all = await database.engine().direct.kysely.introspection.getTables();
    return all.map(({ name }) => name);
  };

  it('is upgraded once, and keeps its data', async () => {
    await (await database.open()).close();
    expect(await tables()).not.toContain('next_step');
    becomeNextVersion();
    const stores = await Promise.all([database.open(), database.open(), database.open()]);
    expect(await tables()).toContain('next_step');
    for (const store of stores) expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
  });

  it('is not changed by a command that must not change the schema', async () => {
    await (await database.open()).close();
    becomeNextVersion();
    const opened = database.open({ mustExist: true });
    await expect(opened).rejects.toMatchObject({ trouble: 'older-schema' });
    await expect(opened).rejects.toThrow(`older than this program (missing: ${NEXT_STEP})`);
    expect(await tables()).not.toContain('next_step');
  });

  it('does not know of older receipts whether they have the time of the gateway', async () => {
    const other = MIGRATIONS['0003_receipt_exact'];
    Reflect.deleteProperty(MIGRATIONS, '0003_receipt_exact');
    const old = await empty.open();
    Object.assign(MIGRATIONS, { '0003_receipt_exact': other });
    const start = Date.parse('2026-03-02T10:00:00Z');
    const id = await old.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' }, dedupeKey: null },
      ...{ createdAt: start, expiresAt: start + 300_000 },
    });
    await empty
      .engine()
      .direct.kysely.updateTable('messages')
      .set({ state: 'sent', receipt: 'delivered', receipt_at: start + 1000 })
      .execute();
    await old.close();
    const [message] = await (await empty.open()).deliveries.list({ ids: [id] }, 1);
    expect(message).toMatchObject({ receipt: 'delivered', receiptAt: start + 1000, isReceiptExact: false });
  });

  if (engineName === 'sqlite') return;

  it('has its queue vacuumed after a few percent of it have changed, however large it is', async () => {
    await database.open();
    const { rows } = await sql<{ reloptions: string[] }>`
    select reloptions from pg_class where relname = 'messages'`.execute(database.engine().direct.kysely);
    expect(rows[0]?.reloptions).toContain('autovacuum_vacuum_scale_factor=0.03');
  });
});
