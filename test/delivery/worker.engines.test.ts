import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import { loadConfig } from '../../src/config';
import { createDelivery } from '../../src/delivery';
import { DeliveryLog, DeliveryMetrics } from '../../src/delivery/workers/delivery-log';
import type { ChannelWorker } from '../../src/delivery/workers/channel-worker';
import { HoldLog } from '../../src/delivery/workers/hold-log';
import { RequestEnds } from '../../src/delivery/workers/request-ends';
import { SYSTEM_TIMERS } from '../../src/delivery/clock';
import { Worker } from '../../src/delivery/worker';
import { type MessageChannel, type Store, StoreError } from '../../src/store';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { Calendar } from '../../src/support/calendar';

const NEVER_MS = 2 ** 30;
const START = Date.parse('2026-03-02T10:00:00Z');

/** A channel worker that records its calls. */
class RecordingWorker {
  readonly calls: string[] = [];
  /** Resolves a stop, where it is to take its time. */
  end: (() => void) | undefined;
  #onWoken: () => void = () => undefined;
  #onStop: () => void = () => undefined;

  wake(): void {
    this.calls.push('wake');
    this.#onWoken();
  }

  expire(): Promise<void> {
    return Promise.resolve();
  }

  /** Resolves when it is woken the next time. */
  woken(): Promise<void> {
    return new Promise((done) => (this.#onWoken = done));
  }

  /** Resolves when it is asked to stop. */
  stopping(): Promise<void> {
    return new Promise((done) => (this.#onStop = done));
  }

  async stop(): Promise<void> {
    this.calls.push('stop');
    this.#onStop();
    if (this.end !== undefined) await new Promise<void>((done) => (this.end = done));
  }

  abort(): void {
    this.calls.push('abort');
    this.end?.();
  }
}

/** A provider that counts how often it was closed. */
class RecordingProvider {
  closed = 0;

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }
}

describe.each(ENGINES)('a worker on %s', (engine) => {
  const workers: Worker[] = [];
  // Before the database is taken away; a test that failed may have left one running.
  afterEach(async () => {
    for (const worker of Object.values(channels)) worker.end = undefined;
    await Promise.all(workers.splice(0).map((worker) => worker.stop(1)));
  });
  const database = useDatabase(engine);
  let store: Store;
  let channels: Readonly<Record<MessageChannel, RecordingWorker>>;
  // One for each test: the worker of the test before may still be closing its own.
  let provider: RecordingProvider;
  let time: number;
  let step: () => Promise<boolean>;

  beforeEach(async () => {
    store = await database.open();
    channels = { sms: new RecordingWorker(), push: new RecordingWorker(), mark: new RecordingWorker() };
    provider = new RecordingProvider();
    time = START;
    step = () => Promise.resolve(false);
  });

  function make(pollMs = NEVER_MS, logger = pino({ level: 'silent' })): Worker {
    const metrics = new DeliveryMetrics(
      new Registry(),
      () => Promise.resolve([]),
      () => 0,
    );
    const now = (): number => time;
    const log = new DeliveryLog(logger, metrics);
    const worker = new Worker({
      owner: 'me',
      store,
      // Nothing else of them is called.
      channels: channels as unknown as Readonly<Record<MessageChannel, ChannelWorker>>,
      providers: [provider],
      repeatMs: 0,
      pollMs,
      ...{ now, timers: SYSTEM_TIMERS, log },
      requestEnds: new RequestEnds(store, { now, timers: SYSTEM_TIMERS }, log),
      oldMessages: { step: () => step() },
      holdLog: new HoldLog({
        ...{ store, node: 'me', now },
        sms: { routes: [], holds: [] },
        push: { name: 'fcm', hold: undefined },
      }),
    });
    workers.push(worker);
    return worker;
  }
  const queue = (): Promise<string> =>
    store.messages.enqueue({
      ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' } },
      ...{ createdAt: START, expiresAt: START + 300_000, dedupeKey: null },
    });

  it('wakes the channel workers at the start and at each poll', async () => {
    const worker = make(1);
    worker.wake('sms');
    expect(channels.sms.calls).toEqual([]); // Not before its start.
    worker.start();
    for (const worker of Object.values(channels)) expect(worker.calls).toEqual(['wake']);
    for (const worker of Object.values(channels)) await worker.woken();
    await worker.stop(1000);
  });

  it('removes old messages for a tenth of a second at each poll', async () => {
    let steps = 0;
    const enough = new Promise<void>((resolve) => {
      step = () => {
        steps += 1;
        time += 40;
        if (steps === 3) resolve();
        return Promise.resolve(steps < 10);
      };
    });
    make().start();
    await enough;
    await nextTurn();
    expect(steps).toBe(3);
  });

  it('releases its leases at once when it stops, and closes its providers last', async () => {
    const worker = make();
    worker.start();
    const id = await queue();
    const claim = { channel: 'sms', limit: 9, now: START, leaseUntil: START + 30_000 } as const;
    await store.outbox.claim({ ...claim, owner: 'me' });
    expect(await store.outbox.claim({ ...claim, owner: 'other' })).toEqual([]);
    channels.push.end = () => undefined;
    const asked = channels.push.stopping();
    const stopping = worker.stop(NEVER_MS);
    await asked;
    expect([provider.closed, channels.sms.calls]).toEqual([0, ['wake', 'stop']]);
    channels.push.end();
    await stopping;
    worker.wake('sms');
    expect([provider.closed, channels.sms.calls]).toEqual([1, ['wake', 'stop']]);
    expect(await store.outbox.claim({ ...claim, owner: 'other' })).toMatchObject([{ id }]);
  });

  it('aborts attempts that exceed the time to stop', async () => {
    const worker = make();
    worker.start();
    channels.push.end = () => undefined;
    await worker.stop(50);
    expect(channels.push.calls).toEqual(['wake', 'stop', 'abort']);
  });

  it('aborts them in time even if the listening connection does not end', async () => {
    jest.spyOn(store, 'listen').mockReturnValue(() => new Promise(() => undefined));
    const worker = make();
    worker.start();
    channels.push.end = () => undefined;
    await worker.stop(50);
    expect(channels.push.calls).toEqual(['wake', 'stop', 'abort']);
  });

  it('does not wait too long for a locked store', async () => {
    const asked = jest.spyOn(store.outbox, 'release').mockReturnValue(new Promise(() => undefined));
    const worker = make();
    worker.start();
    await worker.stop(50);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('closes its providers and stops even if the store is gone', async () => {
    const gone = (): Promise<never> => Promise.reject(new StoreError('unavailable', 'x'));
    jest.spyOn(store.outbox, 'release').mockImplementation(gone);
    const worker = make();
    worker.start();
    await worker.stop(1000);
    expect([provider.closed, channels.sms.calls]).toEqual([1, ['wake', 'stop']]);
  });

  it('says in its last report that it has stopped, so that no one waits for it', async () => {
    const worker = make();
    worker.start();
    time += 1000;
    await worker.stop(NEVER_MS);
    expect(await store.workers.list()).toMatchObject([{ name: 'me', heardAt: time, hasStopped: true }]);
  });

  it('logs once what commands deleted, whichever workers run', async () => {
    const output = new PassThrough();
    const lines = createInterface({ input: output })[Symbol.asyncIterator]();
    const forgetDevice = async (device: string) => {
      await store.messages.enqueue({
        ...{ channel: 'push', recipient: device, school: 'http://school.example', payload: {} },
        ...{ createdAt: START, expiresAt: START + 1, dedupeKey: null },
      });
      const calendar = new Calendar('UTC');
      await store.forget({ device }, { dryRun: false, now: START, calendar });
    };
    await forgetDevice('DEV-1');
    const logger = pino({ base: null, timestamp: false }, output);
    make(NEVER_MS, logger).start();
    const line = (await lines.next()).value as string;
    expect(JSON.parse(line)).toEqual({
      ...{ level: 30, msg: 'a command deleted data', command: 'forget', at: new Date(START).toISOString() },
      removed: { students: 0, devices: 0, messages: 1, cancelled: 1, refused: 0 },
    });
    make(NEVER_MS, logger).start();
    await forgetDevice('DEV-2');
    make(NEVER_MS, logger).start();
    expect(JSON.parse((await lines.next()).value as string)).toMatchObject({ removed: { messages: 1 } });
    await Promise.all(workers.splice(0).map((worker) => worker.stop(1)));
    expect(await store.write(({ erasures }) => erasures.take())).toEqual([]);
    output.end();
    expect(await lines.next()).toMatchObject({ done: true });
  });

  if (engine === 'postgres') {
    it('is woken by a process that only answers requests', async () => {
      const worker = make(); // Its poll never comes.
      const other = await database.open();
      const config = loadConfig({ ROLE: 'web', DATA_DIR: database.folder });
      const web = createDelivery({
        store: other,
        config,
        logger: pino({ level: 'silent' }),
        registry: new Registry(),
        takeReceipts: undefined,
      });
      worker.start();
      // A notification has no receiver until the worker is connected: it is sent again until then.
      const again = setInterval(() => {
        web.wake('mark');
      }, 20).unref();
      await channels.mark.woken();
      clearInterval(again);
      const before = channels.sms.calls.length;
      const woken = channels.sms.woken();
      await web.acceptCode({ code: '1', phone: '+905551112233', createdAt: START, expiresAt: START + 1 });
      await woken;
      expect(channels.sms.calls.slice(before)).toEqual(['wake']);
      await worker.stop(1000);
    });
  }
});
