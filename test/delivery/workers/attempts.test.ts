import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Deliver, ChannelWorker, LostLease } from '../../../src/delivery/workers/channel-worker';
import { RETRY_RULES } from '../../../src/delivery/workers/retry';
import type { DeliveryLog } from '../../../src/delivery/workers/delivery-log';
import { SYSTEM_TIMERS } from '../../../src/delivery/clock';
import { type ClaimedMessage, type Settlement, type Store, StoreError } from '../../../src/store';

const FAILED = { code: 'provider_failing', status: 503 } as const;
const NOW = 5000;
const LEASE_MS = 1000;
const ATTEMPT_MS = 100;

const MESSAGE: ClaimedMessage = {
  ...{ id: 'm', recipient: '', school: '', payload: null, dedupeKey: null },
  ...{
    attempts: 1,
    abandoned: 0,
    gateway: null,
    createdAt: NOW,
    expiresAt: NOW + 60_000,
    caller: undefined,
    leaseUntil: NOW + LEASE_MS,
  },
};
/** Describes the result of each attempt, unless a test sets another. */
const SETTLED = { id: 'm', owner: 'w', leaseUntil: NOW + LEASE_MS, now: NOW };

/** Describes a call: the claim, a settlement, or a line of the log. */
type Called = readonly [name: string, ...given: unknown[]];

interface Scene {
  readonly message?: Partial<ClaimedMessage>;
  /** True if the store still knows the message as this worker's. */
  readonly isOurs?: boolean;
  /** Milliseconds that pass at each look, whatever the clock shows. */
  readonly passing?: number;
  readonly deliver: Deliver;
}

/** Lets a channel worker meet one message, and returns what that led to. */
async function meet({
  message,
  isOurs = true,
  passing = 0,
  deliver,
}: Scene): Promise<{ called: readonly Called[]; worker: ChannelWorker }> {
  const called: Called[] = [];
  const tell =
    (name: string) =>
    (...given: readonly unknown[]): void => {
      called.push([name, ...given]);
    };
  let elapsed = 0;
  const timers = { ...SYSTEM_TIMERS, elapsed: () => (elapsed += passing) };
  const claimed = [{ ...MESSAGE, ...message }];
  const outbox = {
    claim: (claim: unknown) => {
      called.push(['claim', claim]);
      return Promise.resolve(claimed.splice(0));
    },
    settle: (settlement: Settlement) => {
      called.push(['settle', settlement]);
      return Promise.resolve(isOurs);
    },
  };
  const logged = ['settled', 'leaseLost', 'storeFailed', 'failed'];
  const log = Object.fromEntries(logged.map((name) => [name, tell(name)]));
  const worker = new ChannelWorker({
    ...{
      channel: 'sms',
      owner: 'w',
      concurrency: 1,
      rules: RETRY_RULES.sms,
      leaseMs: LEASE_MS,
      attemptMs: ATTEMPT_MS,
    },
    ...{ deliver, now: () => NOW, timers, random: () => 0.5, heldBy: () => undefined },
    // Nothing else of them is called.
    outbox: outbox as unknown as Store['outbox'],
    log: log as unknown as DeliveryLog,
  });
  worker.wake();
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  return { called: called.filter(([name], at) => name !== 'claim' || at === 0), worker };
}

const ASKED = { provider: 'gateway', at: NOW - 40, milliseconds: 38 };
const sends: Deliver = () =>
  Promise.resolve({ outcome: { kind: 'sent', providerId: 'p', status: 201, parts: 2 }, asked: ASKED });
/** Describes an attempt that ended before a provider was asked. */
const NOBODY_ASKED = { at: NOW, provider: null, status: null, milliseconds: null, parts: null };
const fails =
  (error: Error): Deliver =>
  () =>
    Promise.reject(error);

describe('an attempt of a channel worker', () => {
  it('is made under a lease of the message and recorded with it', async () => {
    const { called } = await meet({ deliver: sends });
    const settlement = {
      ...{ ...SETTLED, state: 'sent', nextAttemptAt: NOW, attempted: true, erase: true, providerId: 'p' },
      reason: null,
      keepsReason: false,
      attempt: { ...ASKED, outcome: 'sent', status: 201, reason: null, parts: 2 },
    };
    expect(called).toEqual([
      ['claim', { channel: 'sms', owner: 'w', limit: 1, now: NOW, leaseUntil: NOW + LEASE_MS }],
      ['settle', settlement],
      ['settled', 'sms', MESSAGE, { kind: 'sent', providerId: 'p', status: 201, parts: 2 }, settlement],
    ]);
  });

  it('records nothing if the delivery recorded it already', async () => {
    const { called } = await meet({
      deliver: (_message, { settlementOf }) => {
        const outcome = { kind: 'failing', reason: FAILED } as const;
        return Promise.resolve({ outcome, settled: settlementOf(outcome) });
      },
    });
    const settlement = {
      ...{ ...SETTLED, state: 'queued', nextAttemptAt: NOW + 500, attempted: true, erase: false },
      ...{ providerId: null, reason: FAILED, keepsReason: false },
      attempt: { ...NOBODY_ASKED, outcome: 'failing', reason: FAILED },
    };
    expect(called.slice(1)).toEqual([
      ['settled', 'sms', MESSAGE, { kind: 'failing', reason: FAILED }, settlement],
    ]);
  });

  it.each([
    ['enough', 0, ['settle', 'settled']],
    ['too little', 1, ['leaseLost']],
  ] as const)('with %s of its lease left leads to %j', async (_what, less, names) => {
    const { called } = await meet({
      message: { leaseUntil: NOW + ATTEMPT_MS - less },
      deliver: (message, attempt) => {
        attempt.checkLease();
        return sends(message, attempt);
      },
    });
    expect(called.slice(1).map(([name]) => name)).toEqual(names);
    if (less > 0) expect(called[1]).toEqual(['leaseLost', 'sms', 'm']);
  });

  it.each([
    ['most of its lease', LEASE_MS - ATTEMPT_MS, ['settle', 'settled']],
    ['more', LEASE_MS - ATTEMPT_MS + 1, ['leaseLost']],
  ] as const)(
    'that starts when %s has passed leads to the same, whatever happens to the clock',
    async (_what, passing, names) => {
      const { called } = await meet({
        passing,
        deliver: (message, attempt) => {
          attempt.checkLease();
          return sends(message, attempt);
        },
      });
      expect(called.slice(1).map(([name]) => name)).toEqual(names);
    },
  );

  it('whose lease proves lost when it is recorded is reported only as that', async () => {
    const { called } = await meet({ isOurs: false, deliver: sends });
    expect(called.slice(2)).toEqual([['leaseLost', 'sms', 'm']]);
  });

  it('that failed is kept with its reason', async () => {
    const outcome = { kind: 'busy', reason: FAILED, status: 429 } as const;
    const { called } = await meet({
      message: { attempts: 5 },
      deliver: () => Promise.resolve({ outcome, asked: ASKED }),
    });
    expect(called[1]).toMatchObject([
      'settle',
      { reason: FAILED, attempt: { ...ASKED, outcome: 'busy', status: 429, reason: FAILED } },
    ]);
  });

  it('that was not made is not kept', async () => {
    const { called } = await meet({
      deliver: () => Promise.resolve({ outcome: { kind: 'not-yet', until: NOW + 1 } }),
    });
    expect(called[1]).not.toMatchObject(['settle', { attempt: expect.anything() as unknown }]);
  });

  it('that finds its lease lost reports it by the error’s name', () => {
    expect(String(new LostLease())).toBe('LostLease');
  });

  it('is delayed by half a second and does not count if the store fails', async () => {
    const error = new StoreError('unavailable', 'x');
    const { called } = await meet({ deliver: fails(error) });
    expect(called.slice(1)).toMatchObject([
      ['storeFailed', 'sms', error],
      ['settle', { state: 'queued', nextAttemptAt: NOW + 500, attempted: false }],
      ['settled', 'sms', MESSAGE, { kind: 'not-yet', until: NOW + 500 }, {}],
    ]);
  });

  it('is retried if the service fails, and refers the operator to the log', async () => {
    const error = new TypeError('x');
    const { called } = await meet({ deliver: fails(error) });
    const outcome = { kind: 'failing', reason: { code: 'service_failed' } };
    expect(called.slice(1)).toMatchObject([
      ['failed', 'sms', 'm', error],
      ['settle', { state: 'queued', nextAttemptAt: NOW + 500, attempted: true, reason: outcome.reason }],
      ['settled', 'sms', MESSAGE, outcome, {}],
    ]);
  });

  it.each([
    ['four', 4, 'sent', 1],
    ['five', 5, 'failed', 0],
  ] as const)(
    'is not made for a message that too many workers died with: %s',
    async (_which, abandoned, state, sent) => {
      let made = 0;
      const { called } = await meet({
        message: { attempts: 99, abandoned },
        deliver: (message, attempt) => {
          made += 1;
          return sends(message, attempt);
        },
      });
      const reason = sent === 1 ? null : { code: 'workers_ended' };
      expect(called[1]).toMatchObject(['settle', { state, reason }]);
      expect([called.length, made]).toEqual([3, sent]);
    },
  );

  it('is aborted when the channel worker is', async () => {
    let attempt: Parameters<Deliver>[1] | undefined;
    const { worker } = await meet({
      deliver: (_message, given) => {
        attempt = given;
        return new Promise(() => undefined);
      },
    });
    expect(attempt?.stop.aborted).toBe(false);
    worker.abort();
    expect(attempt?.stop.aborted).toBe(true);
  });
});
