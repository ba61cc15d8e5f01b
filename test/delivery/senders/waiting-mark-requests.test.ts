import { markRequestResolver } from '../../../src/delivery/senders/resolve-mark-requests';
import type { Settlement } from '../../../src/store';
import { useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const DAY = 24 * 3_600_000;
const LEASE = { owner: 'w', leaseUntil: START + DAY };

describe('notes for unknown schools', () => {
  const database = useDatabase('sqlite');

  it('wait up to a limit for all of them together; one more fails at once', async () => {
    const store = await database.open();
    for (let at = 0; at < 4; at += 1)
      await store.messages.enqueue({
        ...{ channel: 'mark', recipient: '1A', school: `http://junk-${String(at)}.example`, note: 'N1' },
        ...{ payload: { note: 'N1' }, createdAt: START + at, expiresAt: START + DAY, dedupeKey: null },
      });
    const requests = await store.outbox.claim({ ...LEASE, channel: 'mark', limit: 9, now: START + 9 });
    const resolve = markRequestResolver({
      ...{ store, repeatMs: 0, maxWaiting: { ofSchool: 9, ofUnknownSchools: 3 } },
      ...{ notBefore: (_school, now) => now, now: () => START + 9, wakePushes: () => undefined },
    });
    const outcomes: unknown[] = [];
    for (const request of requests) {
      const { outcome } = await resolve(request, {
        stop: new AbortController().signal,
        checkLease: () => undefined,
        settlementOf: (outcome): Settlement => ({
          ...{
            id: request.id,
            ...LEASE,
            state: outcome.kind === 'missing' ? 'queued' : 'failed',
            nextAttemptAt: START + DAY,
          },
          ...{ attempted: true, erase: false, now: START + 9, providerId: null },
          reason: outcome.kind === 'missing' ? outcome.reason : null,
        }),
      });
      outcomes.push(outcome);
    }
    const missing = { kind: 'missing', reason: { code: 'school_unknown' } };
    const refused = { kind: 'refused', reason: { code: 'too_many_waiting', missing: 'school' } };
    expect(outcomes).toEqual([missing, missing, missing, refused]);
  });
});
