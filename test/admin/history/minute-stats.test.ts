import pino from 'pino';
import { Registry } from 'prom-client';

import type { Exchange } from '../../../src/asmx';
import { DeliveryMetrics } from '../../../src/delivery/workers/delivery-log';
import { MinuteStats } from '../../../src/admin/history/minute-stats';
import type { CallerCount, MinuteCount } from '../../../src/store';
import { Metrics } from '../../../src/telemetry';
import { AN_EXCHANGE } from '../../harness/an-exchange';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-23T10:00:00Z');

/** A store that keeps what it is given, or fails. */
class RecordingStore {
  readonly counts: MinuteCount[] = [];
  readonly callers: CallerCount[] = [];
  writes = 0;
  fails = false;
  answer: Promise<void> = Promise.resolve();
  readonly stats = {
    add: async (counts: readonly MinuteCount[], callers: readonly CallerCount[]): Promise<void> => {
      this.writes += 1;
      await this.answer;
      if (this.fails) throw new Error('no store');
      this.counts.push(...counts);
      this.callers.push(...callers);
    },
  };

  get requests(): readonly (readonly [at: number, count: number])[] {
    return this.counts.map(({ at, count }) => [Math.floor((at - NOW) / MINUTE), count] as const);
  }
}

describe('the stats of a minute', () => {
  let metrics: Metrics;
  let store: RecordingStore;
  let stats: MinuteStats;
  const lines: { msg: string; level: number }[] = [];
  /** The clock shows the first; the second has passed. */
  let now = NOW;
  let elapsed = 0;

  beforeEach(() => {
    lines.length = 0;
    now = NOW;
    elapsed = 0;
    metrics = new Metrics();
    store = new RecordingStore();
    const logger = pino({}, { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) });
    stats = new MinuteStats({ store, metrics, logger, now: () => now, elapsed: () => elapsed });
  });

  const ask = (times: number, exchange: Partial<Exchange> = {}, address?: string): void => {
    for (let time = 0; time < times; time += 1)
      metrics.countRequest({ ...AN_EXCHANGE, ...exchange }, 'java', address);
  };
  const pass = (ms: number): void => {
    now += ms;
    elapsed += ms;
  };
  const minute = async (): Promise<void> => {
    pass(MINUTE);
    await stats.handOver();
  };

  it('contain what was counted since the last save, under the minute that ends', async () => {
    ask(3);
    await minute();
    ask(2);
    ask(1, { outcome: 'server_error' });
    await minute();
    expect(store.counts.map(({ figure, labels }) => [figure, ...labels])).toEqual([
      ['requests', 'AuthCode', 'get', 'ok'],
      ['requests', 'AuthCode', 'get', 'ok'],
      ['requests', 'AuthCode', 'get', 'server_error'],
      ['errors', 'AuthCode', 'get', 'Internal error.'],
    ]);
    expect(store.requests).toEqual([
      [0, 3],
      [1, 2],
      [1, 1],
      [1, 1],
    ]);
  });

  it('are not saved if nothing was counted', async () => {
    await minute();
    expect(store.writes).toBe(0);
  });

  it('contain the counts of the delivery, each time in one bucket', async () => {
    const delivery = new DeliveryMetrics(metrics.registry, () => Promise.resolve([]), Date.now);
    delivery.countSettled('sms', 'sent', 40);
    delivery.countSettled('sms', 'sent', 700);
    delivery.countSettled('sms', 'failed', 90_000_000);
    delivery.countSettled('push', 'sent', 40);
    delivery.countSettled('push', 'sent', 90_000_000);
    await minute();
    delivery.countSettled('sms', 'sent', 800);
    await minute();
    const [first, second] = [0, 1].map((at) =>
      store.counts.flatMap((each) =>
        each.at < NOW + at * MINUTE || each.at >= NOW + (at + 1) * MINUTE
          ? []
          : [`${each.figure} ${each.labels.join(' ')} ${String(each.count)}`],
      ),
    );
    expect(first?.toSorted()).toEqual([
      'sent push +Inf 1',
      'sent push 0.05 1',
      'sent sms 0.05 1',
      'sent sms 1 1',
      'settled push sent 2',
      'settled sms failed 1',
      'settled sms sent 2',
    ]);
    expect(second?.toSorted()).toEqual(['sent sms 1 1', 'settled sms sent 1']);
  });

  it('show callers with and without a name', async () => {
    ask(2, { caller: 'portal' }, '192.0.2.1');
    ask(1, {}, '192.0.2.1');
    ask(1, { outcome: 'client_error' }, '192.0.2.1');
    ask(4);
    ask(5, { operation: undefined, binding: undefined });
    await minute();
    await minute();
    const alike = { at: NOW + MINUTE / 2, operation: 'AuthCode', binding: 'get', agent: 'java' };
    expect(store.callers).toEqual([
      { ...alike, caller: 'portal', address: undefined, outcome: 'ok', requests: 2 },
      { ...alike, caller: undefined, address: '192.0.2.1', outcome: 'ok', requests: 1 },
      { ...alike, caller: undefined, address: undefined, outcome: 'ok', requests: 4 },
      { ...alike, caller: undefined, address: '192.0.2.1', outcome: 'client_error', requests: 1 },
    ]);
  });

  it('are kept while the store fails, and saved under their own minutes', async () => {
    store.fails = true;
    ask(1, {}, '192.0.2.1');
    await minute();
    ask(2);
    await minute();
    expect(store.writes).toBe(2);
    store.fails = false;
    ask(3);
    await minute();
    expect(store.requests).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(store.callers.map(({ requests }) => requests)).toEqual([1, 2, 3]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'cannot save statistics; will retry',
      'saving statistics works again',
    ]);
  });

  it('are merged after more than an hour without a store', async () => {
    store.fails = true;
    for (let count = 0; count < 370; count += 1) {
      ask(1);
      pass(10_000);
      await stats.handOver();
    }
    store.fails = false;
    await minute();
    await minute();
    const counts = store.requests.map(([, count]) => count);
    expect(counts).toHaveLength(361);
    expect(counts.reduce((sum, count) => sum + count)).toBe(370);
    expect(store.callers.reduce((sum, { requests }) => sum + requests, 0)).toBe(370);
  });

  it('are saved one after the other, however long the store takes', async () => {
    let answer = (): void => undefined;
    store.answer = new Promise((resolve) => (answer = resolve));
    ask(1);
    const first = minute();
    ask(2);
    const second = minute();
    answer();
    ask(4);
    await stats.stop();
    await Promise.all([first, second]);
    expect(store.counts.reduce((sum, { count }) => sum + count, 0)).toBe(7);
    expect(store.writes).toBe(2);
  });

  it.each([
    ['forward', 5 * 60],
    ['back', -5 * 60],
  ])('are counted once when the clock jumps %s', async (_way, minutes) => {
    ask(1);
    await minute();
    ask(2);
    now += minutes * MINUTE;
    await minute();
    ask(4);
    await minute();
    expect(store.requests).toEqual([
      [0, 1],
      [minutes + 1, 2],
      [minutes + 2, 4],
    ]);
  });

  it('are saved every ten seconds of the clock, and on stop', async () => {
    jest.useFakeTimers({ now: NOW + 43_000, doNotFake: ['nextTick', 'setImmediate'] });
    const writer = new MinuteStats({
      store,
      metrics,
      logger: pino({ level: 'silent' }),
    });
    try {
      ask(1);
      writer.start();
      await jest.advanceTimersByTimeAsync(6999);
      expect(store.writes).toBe(0);
      await jest.advanceTimersByTimeAsync(1);
      expect(store.requests).toEqual([[0, 1]]);
      ask(2);
      await jest.advanceTimersByTimeAsync(10_000);
      expect(store.requests).toEqual([
        [0, 1],
        [0, 2],
      ]);
      ask(3);
      await jest.advanceTimersByTimeAsync(5000);
      await writer.stop();
      expect(store.requests).toEqual([
        [0, 1],
        [0, 2],
        [1, 3],
      ]);
      ask(4);
      await jest.advanceTimersByTimeAsync(5 * MINUTE);
      expect(store.writes).toBe(3);
    } finally {
      jest.useRealTimers();
    }
  });

  it('do not require every metric', async () => {
    const nothing = { registry: new Registry(), takeCallers: () => [] };
    const writer = new MinuteStats({
      ...{ metrics: nothing, logger: pino({ level: 'silent' }) },
      store,
    });
    await writer.handOver();
    expect(store.writes).toBe(0);
  });
});
