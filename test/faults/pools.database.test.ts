// Writes that wait for a lock in PostgreSQL.

import { Client } from 'pg';

import { describeOnPostgres, useDatabase } from '../harness/test-databases';

describeOnPostgres('forty writes behind a lock', () => {
  const database = useDatabase('postgres');

  it('do not delay reads', async () => {
    const store = await database.open({ poolSize: 10 });
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table messages in access exclusive mode');
    const message = {
      channel: 'mark',
      recipient: '7',
      school: 'http://school.example',
      payload: {},
      createdAt: 1,
      expiresAt: 2,
      dedupeKey: null,
      caller: undefined,
    } as const;
    const writes = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? store.messages.enqueue(message)
        : store.write(({ messages }) => messages.enqueue(message)),
    );
    // With one pool for all it failed after five seconds.
    expect(await store.devices.tokenOf('unknown')).toBe('');
    await store.ping();
    await holder.query('rollback');
    await holder.end();
    await Promise.all(writes);
  });
});
