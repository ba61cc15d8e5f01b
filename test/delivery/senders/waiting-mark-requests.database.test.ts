import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from 'pg';

import { administer } from '../../harness/postgres-databases';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';
import { useProvider } from '../use-provider';
import { RunningDelivery } from '../running-delivery';

const SAMPLE_SCHOOL = join(__dirname, '..', '..', '..', 'scripts', 'sample-school');
describeOnPostgres('a SendMarkNotes request on PostgreSQL', () => {
  const database = useDatabase('postgres');
  const sms = useProvider();
  const push = useProvider();

  /** Resolves when so many statements of the database wait for a lock. */
  async function blocked(count: number): Promise<void> {
    const name = new URL(database.url).pathname.slice(1);
    const waiting = `select 1 from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`;
    while ((await administer(waiting)) < count);
  }

  it('that arrives while its data is being loaded is not delayed for long', async () => {
    const store = await database.open();
    await store.importFolder(SAMPLE_SCHOOL);
    const service = new RunningDelivery(store, database, { sms: sms(), push: push() });
    service.now = Date.now() + 60_000; // Later than the import's clock: its requests are put off.
    const other = new Client({ connectionString: database.url });
    await other.connect();
    try {
      // Keeps the import from its end: it wakes the requests that wait, of which another holds one.
      const first = await service.sendMarks('1A', 'N8');
      await other.query('begin');
      await other.query('select 1 from messages where id = $1 for update', [first]);
      const notes = 'school_base_url,id,note_type,title,text\nhttp://school.example,N9,,New,Note\n';
      writeFileSync(join(database.folder, 'notes.csv'), notes);
      const loaded = store.importFolder(database.folder);
      await blocked(1);

      const second = await service.sendMarks('1A', 'N9');
      service.delivery.start();
      await Promise.race([service.line({ messageId: second, state: 'queued' }), blocked(2)]);
      await other.query('rollback');
      await loaded;
      // The clock stands still: what is put off now is put off for good.
      await service.line({ messageId: second, state: 'open' });
      expect(await store.deliveries.list({ request: second }, 1)).toMatchObject([{ requestId: second }]);
    } finally {
      await other.end();
      await service.delivery.stop(1000);
    }
  });
});
