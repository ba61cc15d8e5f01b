import { type DeliveryRecord, type Hold, holdNow, mergeHolds, waitingFor } from '../../../src/store';
import type { WorkerRecord } from '../../../src/store/outbox/holds';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;
const CODE = { channel: 'sms', recipient: '+905551112233' } as const;

/** An account that a gateway refuses, since some minutes ago. */
const refused = (gateway: string, minutes: number): Hold => ({
  ...{ cause: 'account', channel: 'sms', gateway, reason: null },
  ...{ since: NOW - minutes * MINUTE, until: null },
});
const worker = (name: string, holds: readonly Hold[], more: Partial<WorkerRecord> = {}): WorkerRecord => ({
  ...{ name, holds, routes: [{ channel: 'sms', gateways: ['one', 'two'] }], heardAt: NOW - 1000 },
  ...more,
});

describe('what holds the messages of two workers', () => {
  it('is what both report, since the later of them', () => {
    const workers = [
      worker('a', [refused('one', 9), refused('two', 4)]),
      worker('b', [refused('one', 5), refused('two', 6)]),
    ];
    const holds = mergeHolds(workers, NOW);
    expect(holds.holds).toEqual([refused('one', 5), refused('two', 4)]);
    expect(holdNow(holds, CODE)).toEqual(refused('one', 5));
    expect(holdNow(mergeHolds(workers.toReversed(), NOW), CODE)).toEqual(refused('one', 5));
  });

  it('is nothing if one of them can send through one of two gateways', () => {
    const holds = mergeHolds(
      [worker('a', [refused('one', 9), refused('two', 9)]), worker('b', [refused('one', 5)])],
      NOW,
    );
    expect(holdNow(holds, CODE)).toBeUndefined();
    expect(holds.ofSome).toEqual([refused('one', 9), refused('two', 9)]);
  });

  it.each([
    [59_999, 0],
    [60_000, 1],
    [60_001, 1],
  ])('is not what a worker reported that has been silent for %i ms', (silentMs, holding) => {
    const silent = worker('a', [], { heardAt: NOW - silentMs });
    expect(mergeHolds([silent, worker('b', [refused('one', 5)])], NOW).holds).toHaveLength(holding);
  });
});

describe('a message without a worker', () => {
  const message = { ...CODE, state: 'queued', attempts: 0, reason: null } as const;
  const waiting = (nextAttemptAt: number) =>
    // The rest of a message plays no part.
    waitingFor({ ...message, nextAttemptAt } as unknown as DeliveryRecord, stopped, NOW);
  const stopped = mergeHolds([worker('a', [], { hasStopped: true })], NOW);

  it.each([NOW - 1, NOW, NOW + 1])('waits for one, whatever its own time', (nextAttemptAt) => {
    expect(waiting(nextAttemptAt)).toMatchObject({ kind: 'hold', hold: { cause: 'worker' } });
  });
});
