import type { MinuteCount, StatsPoint, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The beginning of an hour. */
const NOW = Date.parse('2026-11-23T10:00:00Z');

const requests = (at: number, count: number, ...labels: readonly string[]): MinuteCount => ({
  ...{ at, figure: 'requests', labels: labels.length === 0 ? ['AuthCode', 'get', 'ok'] : labels, count },
});
const settled = (at: number, channel: string, state: string, count: number): MinuteCount => ({
  ...{ at, figure: 'settled', labels: [channel, state], count },
});
const sent = (at: number, channel: string, bound: string, count: number): MinuteCount => ({
  ...{ at, figure: 'sent', labels: [channel, bound], count },
});

/** Returns when points had requests, and how many. */
function requestsOf(points: readonly StatsPoint[]): readonly (readonly [at: number, requests: number])[] {
  return points.flatMap(({ at, requests: counts }) => counts.map((each) => [at, each.requests] as const));
}

describe.each(ENGINES)('the stats on %s', (engineName) => {
  const database = useDatabase(engineName);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const read = (from: number, to: number, stepMs = MINUTE) => store.stats.read({ from, to, stepMs });

  it('are read by the minute and by the hour, with every step of the period', async () => {
    await store.stats.add([requests(NOW + 5, 3), requests(NOW + MINUTE, 4)], [], NOW);
    await store.stats.add([requests(NOW + HOUR, 5)], [], NOW);

    const minutes = await read(NOW - MINUTE, NOW + 3 * MINUTE);
    expect(minutes.map(({ at }) => (at - NOW) / MINUTE)).toEqual([-1, 0, 1, 2]);
    expect(requestsOf(minutes)).toEqual([
      [NOW, 3],
      [NOW + MINUTE, 4],
    ]);
    expect(requestsOf(await read(NOW - HOUR, NOW + 2 * HOUR, HOUR))).toEqual([
      [NOW, 7],
      [NOW + HOUR, 5],
    ]);
  });

  it('are summed over longer steps, which begin at multiples of their length', async () => {
    const each = Array.from({ length: 90 }, (_, minute) => requests(NOW + minute * MINUTE, 1));
    await store.stats.add(each, [], NOW);
    expect(requestsOf(await read(NOW + 7 * MINUTE, NOW + 31 * MINUTE, 15 * MINUTE))).toEqual([
      [NOW, 15],
      [NOW + 15 * MINUTE, 15],
      [NOW + 30 * MINUTE, 15],
    ]);
    expect(requestsOf(await read(NOW, NOW + 1, 2 * HOUR))).toEqual([[NOW, 90]]);
  });

  it('are summed over a period, by the hour where it has whole hours', async () => {
    await store.stats.add([requests(NOW - 1, 9), requests(NOW, 1), requests(NOW + HOUR - 1, 2)], [], NOW);
    await store.stats.add([requests(NOW + HOUR, 9)], [], NOW);
    const sum = async (from: number, to: number) => requestsOf([await store.stats.total({ from, to })]);
    expect(await sum(NOW, NOW + HOUR)).toEqual([[NOW, 3]]);
    expect(await sum(NOW, NOW + HOUR - MINUTE)).toEqual([[NOW, 1]]);
    // Counts by the minute are kept for two days.
    await store.stats.add([], [], NOW + 3 * DAY);
    expect(await sum(NOW, NOW + HOUR)).toEqual([[NOW, 3]]);
    expect(await sum(NOW, NOW + HOUR - MINUTE)).toEqual([]);
  });

  it('distinguish requests, messages and times by their labels', async () => {
    await store.stats.add(
      [
        requests(NOW, 2, 'AuthCode', 'soap11', 'ok'),
        requests(NOW, 1, 'AuthCode', 'soap11', 'client_error'),
        requests(NOW, 6, 'AuthCode', 'get', 'ok'),
        { at: NOW, figure: 'errors', labels: ['AuthCode', 'soap11', 'Missing parameter: id.'], count: 1 },
        settled(NOW, 'sms', 'sent', 100),
        settled(NOW, 'sms', 'failed', 3),
        settled(NOW, 'push', 'sent', 1),
        sent(NOW, 'sms', '1', 98),
        sent(NOW, 'sms', '10', 2),
        sent(NOW, 'push', '+Inf', 1),
        { at: NOW, figure: 'attempts', labels: ['sms', 'busy', 'own'], count: 8 },
        { at: NOW, figure: 'receipts', labels: ['own', 'delivered'], count: 7 },
        { at: NOW, figure: 'forwarded', labels: ['AuthCode', 'get', 'answered'], count: 5 },
      ],
      [],
      NOW,
    );
    expect(await read(NOW, NOW + MINUTE)).toEqual([
      {
        at: NOW,
        requests: [
          { operation: 'AuthCode', binding: 'get', outcome: 'ok', requests: 6 },
          { operation: 'AuthCode', binding: 'soap11', outcome: 'client_error', requests: 1 },
          { operation: 'AuthCode', binding: 'soap11', outcome: 'ok', requests: 2 },
        ],
        errors: [{ operation: 'AuthCode', binding: 'soap11', reason: 'Missing parameter: id.', requests: 1 }],
        forwarded: [{ operation: 'AuthCode', binding: 'get', outcome: 'answered', requests: 5 }],
        settled: [
          { channel: 'push', state: 'sent', messages: 1 },
          { channel: 'sms', state: 'failed', messages: 3 },
          { channel: 'sms', state: 'sent', messages: 100 },
        ],
        attempts: [{ channel: 'sms', outcome: 'busy', gateway: 'own', attempts: 8 }],
        receipts: [{ gateway: 'own', result: 'delivered', receipts: 7 }],
        sent: [
          // All that is known of what took longer than a day.
          { channel: 'push', messages: 1, medianMs: 86_400_000, p99Ms: 86_400_000 },
          { channel: 'sms', messages: 100, medianMs: 755, p99Ms: 7500 },
        ],
      },
    ]);
  });

  it('are summed over several concurrent writers, each one once', async () => {
    const writers = [store, await database.open(), await database.open()];
    const counts = Array.from({ length: 20 }, (_, at) =>
      requests(NOW + at * MINUTE, 1, `Op${String(at)}`, 'get', 'ok'),
    );
    await Promise.all(
      writers.flatMap((writer) => [
        writer.stats.add(counts, [], NOW),
        writer.stats.add(counts.toReversed(), [], NOW),
      ]),
    );
    const points = await read(NOW, NOW + HOUR, HOUR);
    expect(points[0]?.requests).toHaveLength(20);
    expect(new Set(points[0]?.requests.map((each) => each.requests))).toEqual(new Set([6]));
  });

  it('survive a restart', async () => {
    await store.stats.add([requests(NOW, 3)], [], NOW);
    await store.close();
    store = await database.open();
    expect(requestsOf(await read(NOW, NOW + MINUTE))).toEqual([[NOW, 3]]);
  });

  it('are kept by the minute for two days, and by the hour for thirteen months', async () => {
    await store.stats.add([requests(NOW, 3)], [], NOW);
    const kept = async (now: number): Promise<readonly boolean[]> => {
      await store.stats.add([], [], now);
      const spans = [await read(NOW, NOW + MINUTE), await read(NOW, NOW + HOUR, HOUR)];
      return spans.map((points) => requestsOf(points).length > 0);
    };
    expect(await kept(NOW + 2 * DAY)).toEqual([true, true]);
    expect(await kept(NOW + 2 * DAY + 1)).toEqual([false, true]);
    // Thirteen months have 397 days at most.
    expect(await kept(NOW + 397 * DAY)).toEqual([false, true]);
    expect(await kept(NOW + 400 * DAY + 1)).toEqual([false, false]);
  });

  it('may exceed the size of one statement', async () => {
    const many = Array.from({ length: 2500 }, (_, at) => requests(NOW, 1, `Op${String(at)}`, 'get', 'ok'));
    await store.stats.add(many, [], NOW);
    expect((await read(NOW, NOW + HOUR, HOUR))[0]?.requests).toHaveLength(2500);
  });

  it.each([0, -MINUTE, 90_000, Number.NaN])('cannot be read with a step of %d ms', async (stepMs) => {
    await expect(read(NOW, NOW + HOUR, stepMs)).rejects.toThrow('A step has whole minutes.');
  });

  it('are read as at most 1,500 points, and as none for an empty period', async () => {
    expect(await read(NOW, NOW + 1500 * MINUTE)).toHaveLength(1500);
    await expect(read(NOW, NOW + 1500 * MINUTE + 1)).rejects.toThrow(RangeError);
    expect(await read(NOW, NOW)).toEqual([]);
    expect(await read(NOW, NOW - HOUR)).toEqual([]);
  });
});
