import { setImmediate as nextTurn } from 'node:timers/promises';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import { DeliveryLog, DeliveryMetrics } from '../../../src/delivery/workers/delivery-log';
import type { Outcome } from '../../../src/delivery/outcome';
import { ChannelWorker, type ChannelWorkerOptions } from '../../../src/delivery/workers/channel-worker';
import { RETRY_RULES } from '../../../src/delivery/workers/retry';
import { SYSTEM_TIMERS } from '../../../src/delivery/clock';
import {
  type ClaimedMessage,
  type HeldBy,
  type Settlement,
  type Store,
  StoreError,
} from '../../../src/store';

/** More turns of the event loop than a channel worker needs to come to rest. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

/** An outbox in memory, whose claims can be held up. */
class ScriptedOutbox {
  queued = 0;
  /** How many messages each claim asked for. */
  readonly claims: number[] = [];
  readonly settlements: Settlement[] = [];
  tried = 0;
  failsToSettle = false;
  hold: Promise<void> | undefined;
  onClaim: () => unknown = () => undefined;

  async claim({ limit }: { readonly limit: number }): Promise<readonly ClaimedMessage[]> {
    this.claims.push(limit);
    const count = Math.min(limit, this.queued);
    this.queued -= count;
    void this.onClaim();
    await this.hold;
    return Array.from({ length: count }, (): ClaimedMessage => ({
      ...{ id: 'm', recipient: '', school: '', payload: null, dedupeKey: null, caller: undefined },
      ...{ attempts: 1, abandoned: 0, gateway: null, createdAt: 0, expiresAt: 1000, leaseUntil: 1000 },
    }));
  }

  get settled(): number {
    return this.settlements.length;
  }

  settle(settlement: Settlement): Promise<boolean> {
    this.tried += 1;
    if (this.failsToSettle) return Promise.reject(new StoreError('unavailable', 'x'));
    this.settlements.push(settlement);
    return Promise.resolve(true);
  }
}

describe('a channel worker', () => {
  let outbox: ScriptedOutbox;
  /** Lets the attempts under way succeed. */
  let succeed: (() => void)[];
  /** Ends the pauses that are being made. */
  let pauses: (() => void)[];
  /** How long they were to be, in milliseconds. */
  let lengths: number[];
  let worker: ChannelWorker;
  /** Counts the messages that the provider accepts now. */
  let places: number;
  /** Time until it allows more, in milliseconds. */
  let untilPlaceMs: number;
  /** The last timer that was set. */
  let wait: { readonly ms: number; readonly act: () => void } | undefined;

  beforeEach(() => {
    outbox = new ScriptedOutbox();
    succeed = [];
    pauses = [];
    lengths = [];
    places = Number.POSITIVE_INFINITY;
    untilPlaceMs = 0;
    wait = undefined;
    worker = make();
  });

  const make = (more: Partial<ChannelWorkerOptions> = {}): ChannelWorker => {
    const metrics = new DeliveryMetrics(
      new Registry(),
      () => Promise.resolve([]),
      () => 0,
    );
    return new ChannelWorker({
      channel: 'sms',
      owner: 'worker test',
      outbox: outbox as unknown as Store['outbox'], // Only these two are called.
      deliver: () =>
        new Promise((done) => {
          succeed.push(() => {
            done({ outcome: { kind: 'sent' } });
          });
        }),
      concurrency: 8,
      pace: { places: () => places, untilPlaceMs: () => untilPlaceMs },
      rules: RETRY_RULES.sms,
      heldBy: () => undefined,
      leaseMs: 1000,
      attemptMs: 100,
      now: () => 0,
      timers: {
        ...SYSTEM_TIMERS,
        after: (ms, act) => {
          wait = {
            ms,
            act: () => {
              wait = undefined;
              act();
            },
          };
          return () => (wait = undefined);
        },
        delay: (ms) =>
          new Promise((done) => {
            lengths.push(ms);
            pauses.push(done);
          }),
      },
      random: () => 0,
      log: new DeliveryLog(pino({ level: 'silent' }), metrics),
      ...more,
    });
  };

  it('claims once when woken, and goes idle if nothing is due', async () => {
    worker.wake();
    worker.wake();
    await rest();
    expect(outbox.claims).toEqual([8]);
    worker.wake();
    await rest();
    expect(outbox.claims).toEqual([8, 8]);
  });

  it('settles an expired message only once it is known what held it', async () => {
    let known: () => void = () => undefined;
    const holdsKnown = new Promise<void>((resolve) => (known = resolve));
    const outcome = { kind: 'expired', reason: { code: 'expired' } } as const;
    const deliver = () => Promise.resolve({ outcome });
    worker = make({ now: () => 1000, holdsKnown, deliver });
    outbox.queued = 1;
    worker.wake();
    await rest();
    expect(outbox.settled).toBe(0);
    known();
    await rest();
    expect(outbox.settled).toBe(1);
  });

  const ACCOUNT = { cause: 'account', gateway: 'one', reason: null, since: 7 } as const;
  const EXPIRED = { kind: 'expired', reason: { code: 'expired' } } as const;
  it.each<readonly [string, Outcome, HeldBy | undefined, object]>([
    [
      'a message with a receipt to come',
      { kind: 'sent', awaitsReceipt: true, parts: 2 },
      ACCOUNT,
      { state: 'sent', awaitsReceipt: true, reason: null, attempt: { outcome: 'sent', parts: 2 } },
    ],
    [
      'a message without a receipt',
      { kind: 'sent', awaitsReceipt: false },
      undefined,
      { state: 'sent', attempt: { outcome: 'sent', parts: null } },
    ],
    [
      'an expired message with what held it',
      EXPIRED,
      ACCOUNT,
      { state: 'expired', reason: { code: 'expired', held: ACCOUNT }, keepsReason: false },
    ],
    [
      'an expired message with its last reason, if nothing is known to have held it',
      EXPIRED,
      undefined,
      { state: 'expired', reason: { code: 'expired' }, keepsReason: true },
    ],
  ])('settles %s', async (_what, outcome, held, settlement) => {
    worker = make({ heldBy: () => held, deliver: () => Promise.resolve({ outcome }) });
    outbox.queued = 1;
    worker.wake();
    await rest();
    expect(outbox.settlements).toMatchObject([settlement]);
    const shown = ['awaitsReceipt', 'attempt'] as const;
    expect(shown.map((name) => outbox.settlements[0]?.[name] !== undefined)).toEqual(
      shown.map((name) => name in settlement),
    );
  });

  it('claims again when woken during a claim', async () => {
    let release: () => void = () => undefined;
    outbox.hold = new Promise((done) => (release = done));
    worker.wake();
    await rest();
    outbox.queued = 1; // Came after the claim had looked.
    worker.wake();
    release();
    await rest();
    expect(succeed).toHaveLength(1);
  });

  it('keeps a wake-up that arrives while the worker goes idle', async () => {
    for (let microtasks = 0; microtasks < 20; microtasks += 1) {
      const before = succeed.length;
      outbox.onClaim = async () => {
        outbox.onClaim = () => undefined;
        for (let at = 0; at < microtasks; at += 1) await Promise.resolve();
        outbox.queued = 1;
        worker.wake();
      };
      worker.wake();
      await rest();
      expect(succeed.length - before).toBe(1);
      for (const each of succeed) each();
      await rest();
    }
  });

  it('claims no more than it has places for, and fills those freed in one turn together', async () => {
    outbox.queued = 14;
    worker.wake();
    await rest();
    expect(succeed).toHaveLength(8);
    for (const each of succeed.splice(0, 6)) each();
    await rest();
    expect(succeed).toHaveLength(8);
    expect([outbox.claims, outbox.queued]).toEqual([[8, 6], 0]);
  });

  it('waits until a quarter of its places is free: a claim costs a transaction', async () => {
    outbox.queued = 20;
    worker.wake();
    await rest();
    succeed.shift()?.();
    await rest();
    expect(outbox.claims).toEqual([8]);
    succeed.shift()?.();
    await rest();
    expect(outbox.claims).toEqual([8, 2]);
  });

  it('claims what the provider allows, however little and however many are in progress', async () => {
    outbox.queued = 20;
    for (const [allowed, claims] of [
      [0, []],
      [1, [1]],
      [1, [1, 1]],
      [1, [1, 1, 1]],
      [2, [1, 1, 1, 2]],
    ] as const) {
      places = allowed;
      worker.wake();
      await rest();
      expect(outbox.claims).toEqual(claims);
    }
  });

  it('wakes by itself when the provider allows the next message, while more may be queued', async () => {
    [outbox.queued, places, untilPlaceMs] = [2, 1, 102.4];
    worker.wake();
    await rest();
    expect([outbox.claims, wait?.ms]).toEqual([[1], 104]);
    places = 0;
    worker.wake();
    await rest();
    expect([outbox.claims, wait?.ms]).toEqual([[1], 104]);
    places = 2;
    wait?.act();
    await rest();
    expect([outbox.claims, wait]).toEqual([[1, 2], undefined]);
    // Circuits are left to the poll.
    [places, untilPlaceMs] = [0, Infinity];
    worker.wake();
    await rest();
    expect(wait).toBeUndefined();
  });

  it('asks a failing store once, and again only when woken', async () => {
    outbox.onClaim = () => {
      throw new StoreError('unavailable', 'x');
    };
    worker.wake();
    await rest();
    expect(outbox.claims).toEqual([8]);
    outbox.onClaim = () => undefined;
    outbox.queued = 1;
    worker.wake();
    await rest();
    expect([outbox.claims, succeed.length]).toEqual([[8, 8], 1]);
  });

  /** Sends one message whose end the store does not take. */
  async function sendWithoutRecord(): Promise<void> {
    outbox.queued = 1;
    outbox.failsToSettle = true;
    worker.wake();
    await rest();
    succeed[0]?.();
    await rest();
  }

  it('pauses for half a second before it retries a failed record, and sends nothing meanwhile', async () => {
    await sendWithoutRecord();
    expect([outbox.tried, pauses.length]).toEqual([1, 1]);
    pauses.shift()?.();
    await rest();
    expect([outbox.tried, pauses.length]).toEqual([2, 1]);
    outbox.failsToSettle = false;
    pauses.shift()?.();
    await rest();
    expect([outbox.tried, outbox.settled, pauses.length, succeed.length]).toEqual([3, 1, 0, 1]);
    expect(lengths).toEqual([500, 500]);
  });

  it('stops without a record if the store is gone and the time is up', async () => {
    await sendWithoutRecord();
    let stopped = false;
    const stopping = worker.stop().then(() => (stopped = true));
    pauses.shift()?.();
    await rest();
    expect([outbox.tried, stopped]).toEqual([2, false]);
    worker.abort();
    pauses.shift()?.();
    await stopping;
    expect([outbox.tried, outbox.settled, pauses.length]).toEqual([3, 0, 0]);
  });

  it('stops when the attempts under way are settled, including those just claimed, and claims no more', async () => {
    let release: () => void = () => undefined;
    outbox.hold = new Promise((done) => (release = done));
    outbox.queued = 9;
    worker.wake();
    await rest();
    let stopped = false;
    const stopping = worker.stop().then(() => (stopped = true));
    release();
    await rest();
    expect([succeed.length, stopped]).toEqual([8, false]);
    for (const each of succeed) each();
    await stopping;
    worker.wake();
    await rest();
    expect([outbox.claims, outbox.settled, outbox.queued]).toEqual([[8], 8, 1]);
  });
});
