import type { Store } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import { describeOnPostgres, ENGINES, useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;

function claimBy(owner: string, limit: number) {
  return { channel: 'push', owner, limit, now: START, leaseUntil: START + MINUTE } as const;
}

/** Messages that are due so long before START, in milliseconds; returns their ids in the same order. */
async function addDue(store: Store, dues: readonly number[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const due of dues) {
    const id = await store.messages.enqueue({
      ...{ channel: 'push', recipient: 'DEV-1', school: '', payload: {}, dedupeKey: null },
      ...{ createdAt: START - MINUTE, notBefore: START - due, expiresAt: START + MINUTE },
    });
    ids.push(id);
  }
  return ids;
}

/** Whatever way the database takes to find what is due, its order is that of the statement. */
async function dropIndex(url: string): Promise<void> {
  const engine = openEngine({ url });
  await engine.session(async ({ kysely }) => {
    await kysely.schema.dropIndex('messages_due').execute();
  });
  await engine.close();
}

describe.each(ENGINES)('claims on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  it('include the trace context of a message along with its payload', async () => {
    const trace = { traceparent: '00-1-2-01', tracestate: 'a=1' };
    const enqueue = (more: object) =>
      store.messages.enqueue({
        ...{ channel: 'push', recipient: 'DEV-1', school: '', payload: { note: 'N1' }, dedupeKey: null },
        ...{ createdAt: START, expiresAt: START + MINUTE },
        ...more,
      });
    const ids = [
      await enqueue({ trace: { ...trace, more: 'is not kept' } }),
      await enqueue({ trace: { traceparent: '00-1-3-01' } }),
      await enqueue({}),
    ];
    const claimed = await store.outbox.claim(claimBy('w', 9));
    expect(ids.map((id) => claimed.find((each) => each.id === id)?.trace)).toEqual([
      trace,
      { traceparent: '00-1-3-01', tracestate: undefined },
      undefined,
    ]);
    for (const { payload } of claimed) expect(payload).toMatchObject({ note: 'N1' });
    expect(JSON.stringify(claimed)).not.toContain('is not kept');
  });

  it.each(['', ', even without the index'])(
    'take the messages that have been due longest, and none that are not due%s',
    async (without) => {
      if (without !== '') await dropIndex(database.url);
      const [second, , first, third] = await addDue(store, [20, -1, 30, 10, 0]);
      const claimed = async (limit: number) =>
        (await store.outbox.claim(claimBy('w', limit))).map(({ id }) => id);
      expect(await claimed(1)).toEqual([first]);
      expect(await claimed(1)).toEqual([second]);
      expect(await claimed(1)).toEqual([third]);
      expect(await claimed(9)).toHaveLength(1);
      expect(await claimed(9)).toEqual([]);
    },
  );

  it('take messages that became due at the same time in the order in which they arrived', async () => {
    await dropIndex(database.url);
    const ids = await addDue(store, [0, 0, 0, 0]);
    await store.outbox.claim(claimBy('w', 2));
    expect(await store.outbox.release('w', START)).toBe(2); // The database has them behind the others now.
    for (const id of ids) expect(await store.outbox.claim(claimBy('w', 1))).toMatchObject([{ id }]);
  });

  it('include all details of a message', async () => {
    const known = {
      ...{ recipient: 'DEV-1', school: 'http://a.example', payload: { note: 'N1' }, dedupeKey: 'key' },
      ...{ createdAt: START - MINUTE, expiresAt: START + MINUTE, caller: 'panel', requestId: 'request' },
    };
    const id = await store.messages.enqueue({ ...known, channel: 'push' });
    const leased = { attempts: 1, abandoned: 0, gateway: null, leaseUntil: START + MINUTE };
    expect(await store.outbox.claim(claimBy('w', 1))).toEqual([{ ...known, ...leased, id }]);

    const [other] = await addDue(store, [0]);
    const [claimed] = await store.outbox.claim(claimBy('w', 1));
    expect(claimed).toMatchObject({ id: other, dedupeKey: null, caller: undefined, requestId: undefined });
  });

  it('by many workers at once give each message to only one of them', async () => {
    const ids = await addDue(
      store,
      Array.from({ length: 60 }, () => 0),
    );
    const stores = [store, await database.open(), await database.open()];
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (stores[at % stores.length] ?? store).outbox.claim(claimBy(`w${String(at)}`, 5)),
      ),
    );
    const claimed = claims.flat().map(({ id }) => id);
    while (claimed.length < ids.length) {
      const more = await store.outbox.claim(claimBy('last', 5));
      if (more.length === 0) break;
      claimed.push(...more.map(({ id }) => id));
    }
    expect(claimed.toSorted()).toEqual(ids.toSorted());
  });
});

describeOnPostgres('a claim on PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('skips what another worker is claiming, without waiting for it', async () => {
    const store = await database.open();
    const other = await database.open({ statementTimeoutMs: 2000 });
    const [first, second] = await addDue(store, [20, 10]);
    await store.write(async (transaction) => {
      expect(await transaction.outbox.claim(claimBy('w', 1))).toMatchObject([{ id: first }]);
      // Not committed yet: who waited for it would wait for ever.
      expect(await other.outbox.claim(claimBy('other', 9))).toMatchObject([{ id: second }]);
    });
  });
});
