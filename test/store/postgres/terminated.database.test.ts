import { openStore, type Store, StoreError } from '../../../src/store';
import { administer } from '../../harness/postgres-databases';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const WRITERS = 8;
const STORMS = 12;
/** Writes that must succeed between one storm and the next. */
const BETWEEN = 12;
const HOUR = 3_600_000;
const START = Date.parse('2026-03-02T10:00:00Z');

describeOnPostgres('a store whose connections the server keeps terminating', () => {
  const database = useDatabase('postgres');
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ url: database.url, poolSize: 4 });
  });
  afterEach(async () => {
    await store.close();
  });

  /** Ends all connections to the database, and waits until they are gone. */
  const storm = (): Promise<number> =>
    administer(
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${new URL(database.url).pathname.slice(1)}'`,
    );

  /** Does something over and over while storms pass; what fails is not tried again. Returns what was acknowledged. */
  async function inStorms<T>(act: (at: number) => Promise<T>): Promise<readonly T[]> {
    const acknowledged: T[] = [];
    const failures: unknown[] = [];
    let at = 0;
    let isOver = false;
    let onNext: () => void = () => undefined;
    const work = async (): Promise<void> => {
      while (!isOver) {
        try {
          acknowledged.push(await act((at += 1)));
        } catch (error) {
          failures.push(error);
        }
        onNext();
      }
    };
    const workers = Array.from({ length: WRITERS }, () => work());
    for (let count = 0; count < STORMS; count += 1) {
      const enough = acknowledged.length + BETWEEN;
      while (acknowledged.length < enough) await new Promise<void>((resolve) => (onNext = resolve));
      // There may be none for a moment: those opened before a loss are closed.
      while ((await storm()) === 0) await new Promise(setImmediate);
    }
    isOver = true;
    await Promise.all(workers);
    // Otherwise there was no storm.
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every((error) => error instanceof StoreError && error.trouble === 'unavailable')).toBe(
      true,
    );
    return acknowledged;
  }

  const message = (at: number) => ({
    ...{ channel: 'push' as const, recipient: String(at), school: '', payload: {}, dedupeKey: null },
    ...{ createdAt: START, expiresAt: START + HOUR },
  });

  it('has every acknowledged message exactly once', async () => {
    const ids = await inStorms((at) => store.messages.enqueue(message(at)));
    const stored = await listMessages(store, 100_000);
    const known = new Set(stored.map(({ id }) => id));
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(stored.map(({ recipient }) => recipient)).size).toBe(stored.length);
  });

  it('gives no message to two workers', async () => {
    await store.write(({ messages }) =>
      messages.enqueueAll(Array.from({ length: 2000 }, (_, at) => message(at))),
    );
    const claimed = await inStorms((at) =>
      store.outbox.claim({
        ...{ channel: 'push', owner: `worker ${String(at)}`, limit: 1, now: START, leaseUntil: START + HOUR },
      }),
    );
    const ids = claimed.flat().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(STORMS);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
