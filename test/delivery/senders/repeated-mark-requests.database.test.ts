import { sql } from 'kysely';

import type { Deliver } from '../../../src/delivery/workers/channel-worker';
import { markRequestResolver } from '../../../src/delivery/senders/resolve-mark-requests';
import type { ClaimedMessage, Settlement } from '../../../src/store';
import { writeSchool } from '../../../scripts/harness';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

type Delivered = Awaited<ReturnType<Deliver>>;

const START = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;
const LEASE = { owner: 'w', leaseUntil: START + HOUR };

describeOnPostgres('two requests for one note on PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('become push messages once, even if two workers have them at the same time', async () => {
    const store = await database.open();
    const engine = database.engine();
    await store.importFolder(writeSchool(`${database.folder}/school`, SMALL_SCHOOL));
    for (let count = 0; count < 2; count += 1)
      await store.messages.enqueue({
        ...{ channel: 'mark', recipient: '1A', school: 'http://a.example', note: 'N1' },
        ...{ payload: { note: 'N1' }, createdAt: START, expiresAt: START + 24 * HOUR, dedupeKey: 'key' },
      });
    const [first, second] = await store.outbox.claim({ ...LEASE, channel: 'mark', limit: 2, now: START });
    if (first === undefined || second === undefined) throw new Error('Two requests wait.');

    const resolve: Deliver = markRequestResolver({
      ...{ store, repeatMs: HOUR, maxWaiting: { ofSchool: 9, ofUnknownSchools: 9 } },
      ...{ notBefore: (_school, now) => now, now: () => START, wakePushes: () => undefined },
    });
    const settlementOf =
      ({ id }: ClaimedMessage) =>
      ({ kind }: Delivered['outcome']): Settlement => ({
        ...{ id, ...LEASE, state: kind === 'resolved' ? 'open' : 'suppressed', nextAttemptAt: START },
        ...{ attempted: true, erase: false, now: START, providerId: null, reason: null },
      });
    const deliver = (request: ClaimedMessage): Promise<Delivered> =>
      resolve(request, {
        stop: new AbortController().signal,
        checkLease: () => undefined,
        settlementOf: settlementOf(request),
      });

    /** Resolves when so many statements wait for a lock, or when the work has ended without. */
    async function untilWaitOrEnds(count: number, work: Promise<unknown>): Promise<void> {
      const end = work.then(
        () => Number.POSITIVE_INFINITY,
        () => Number.POSITIVE_INFINITY,
      );
      const waiting = async (): Promise<number> => {
        const { rows } = await sql`select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(engine.direct.kysely);
        return rows.length;
      };
      while ((await Promise.race([end, waiting()])) < count);
    }

    const delivered: Promise<Delivered>[] = [];
    await engine.write(async ({ kysely }) => {
      // Keeps the first from its end.
      await sql`select 1 from messages where id = ${first.id} for update`.execute(kysely);
      for (const request of [first, second]) {
        const work = deliver(request);
        delivered.push(work);
        await untilWaitOrEnds(delivered.length, work);
      }
    });
    expect(await Promise.all(delivered)).toMatchObject([
      { outcome: { kind: 'resolved' } },
      { outcome: { kind: 'repeated' } },
    ]);
    expect(await store.deliveries.list({ channel: 'push' }, 9)).toHaveLength(1);
  });
});
