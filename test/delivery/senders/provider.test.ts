import { getEventListeners, setMaxListeners } from 'node:events';

import type { Outcome } from '../../../src/delivery/outcome';
import type { CircuitCause } from '../../../src/delivery/senders/circuit-breaker';
import { Provider } from '../../../src/delivery/senders/provider';
import { SYSTEM_TIMERS, type Timers } from '../../../src/delivery/clock';
import type { Transport } from '../../../src/delivery/transports/transport';

const FAILING: Outcome = { kind: 'failing', reason: { code: 'service_failed' } };
const UNKNOWN: Outcome = { kind: 'unknown', reason: { code: 'service_failed' } };
const SENT: Outcome = { kind: 'sent' };
const NEVER_MS = 2 ** 30;
const LIFE_MS = 300_000;

class ScriptedTransport implements Transport<string> {
  readonly name = 'scripted';
  outcomes: Outcome[] = [];
  asked = 0;
  /** Asked in place of the outcomes, where it is there. */
  onSend: ((signal: AbortSignal) => Promise<Outcome>) | undefined;

  send(_message: string, signal: AbortSignal): Promise<Outcome> {
    this.asked += 1;
    return this.onSend?.(signal) ?? Promise.resolve(this.outcomes.shift() ?? SENT);
  }

  isClosed = false;

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

describe('a provider', () => {
  let transport: ScriptedTransport;
  let now: number;
  /** Milliseconds of the clock that never runs back. */
  let elapsed: number;
  /** Records the openings and closings of the circuit, in order. */
  let changes: (CircuitCause | undefined)[];
  let provider: Provider<string>;
  /** Ends what a test that failed left under way. */
  let end: AbortController;
  let never: AbortSignal;
  beforeEach(() => {
    end = new AbortController();
    never = end.signal;
    setMaxListeners(0, never); // Every message under way listens.
    transport = new ScriptedTransport();
    now = 0;
    elapsed = 0;
    changes = [];
    provider = make();
  });
  afterEach(() => {
    end.abort();
    for (const cancel of waiting) cancel();
    waiting.clear();
  });

  const make = (timeoutMs = NEVER_MS, withinMs = 10_000): Provider<string> =>
    new Provider(
      transport,
      {
        timeoutMs,
        circuit: {
          attempts: 10,
          failedPart: 0.5,
          withinMs,
          probeAfterMs: 30_000,
          stoppedProbeAfterMs: 60_000,
        },
      },
      { now: () => now, timers: { ...SYSTEM_TIMERS, elapsed: () => elapsed, after } },
      (cause) => changes.push(cause),
    );
  /** Cancels each timer that was not cancelled. */
  const waiting = new Set<() => void>();
  const after: Timers['after'] = (ms, action) => {
    const cancel = SYSTEM_TIMERS.after(ms, action);
    waiting.add(cancel);
    return () => {
      waiting.delete(cancel);
      cancel();
    };
  };
  async function open(): Promise<void> {
    transport.outcomes = Array.from({ length: 10 }, () => FAILING);
    for (let at = 0; at < 10; at += 1) await provider.send('m', LIFE_MS, never);
  }
  /** A message under way; what it returns ends it. */
  function begin(): (outcome: Outcome | Error) => ReturnType<Provider<string>['send']> {
    let settle: (outcome: Outcome | Error) => void = () => undefined;
    transport.onSend = (signal) =>
      new Promise((resolve, reject) => {
        settle = (outcome) => {
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        };
        signal.addEventListener('abort', () => {
          resolve(UNKNOWN);
        });
      });
    const sending = provider.send('m', LIFE_MS, never);
    transport.onSend = undefined;
    return (outcome) => {
      settle(outcome);
      return sending;
    };
  }

  it('reports when it was called and how long it took, whatever happens to the clock', async () => {
    let elapsed = 0;
    const timers = { ...SYSTEM_TIMERS, elapsed: () => elapsed };
    const rules = {
      timeoutMs: NEVER_MS,
      circuit: { attempts: 10, failedPart: 0.5, withinMs: 1, probeAfterMs: 1, stoppedProbeAfterMs: 1 },
    };
    provider = new Provider(transport, rules, { now: () => now, timers }, () => undefined);
    now = 7000;
    const settle = begin();
    elapsed = 123.4;
    now = 9;
    expect(await settle(FAILING)).toEqual({
      outcome: FAILING,
      asked: { provider: 'scripted', at: 7000, milliseconds: 123 },
    });
  });

  it('gets nothing during a pause that it asked for', async () => {
    transport.outcomes = [{ kind: 'busy', reason: { code: 'service_failed' }, retryAfterMs: 17_000 }];
    await provider.send('m', LIFE_MS, never);
    now = 2000;
    elapsed = 1500.5;
    expect(await provider.send('m', LIFE_MS, never)).toEqual({ outcome: { kind: 'not-yet', until: 17_500 } });
    expect(transport.asked).toBe(1);
    elapsed = 17_000;
    expect(await provider.send('m', LIFE_MS, never)).toMatchObject({ outcome: SENT });
  });

  it('can be traced: what is sent, and its outcome', async () => {
    const ends: (Outcome | undefined)[] = [];
    const sent: string[] = [];
    const rules = {
      timeoutMs: NEVER_MS,
      circuit: { attempts: 10, failedPart: 0.5, withinMs: 1, probeAfterMs: 1, stoppedProbeAfterMs: 1 },
    };
    const followed: Transport<string> = {
      name: 'followed',
      send: (message) => {
        sent.push(message);
        return message === 'defect, followed' ? Promise.reject(new Error('x')) : Promise.resolve(FAILING);
      },
      close: () => Promise.resolve(),
    };
    provider = new Provider(
      followed,
      rules,
      { now: () => now, timers: { ...SYSTEM_TIMERS, elapsed: () => elapsed } },
      () => undefined,
      (message) => ({ message: `${message}, followed`, end: (outcome) => ends.push(outcome) }),
    );
    expect(await provider.send('m', LIFE_MS, never)).toMatchObject({ outcome: FAILING });
    await expect(provider.send('defect', LIFE_MS, never)).rejects.toThrow('x');
    expect(sent).toEqual(['m, followed', 'defect, followed']);
    expect(ends).toEqual([FAILING, undefined]);
  });

  it('is paused when half of ten attempts in ten seconds failed', async () => {
    transport.outcomes = [FAILING, SENT, FAILING, SENT, UNKNOWN, SENT, FAILING, SENT, SENT];
    for (let at = 0; at < 9; at += 1) {
      await provider.send('m', LIFE_MS, never);
      now += 1000;
    }
    expect(changes).toEqual([]);
    transport.outcomes = [FAILING];
    await provider.send('m', LIFE_MS, never);
    expect(changes).toEqual(['failing']);
    expect(provider.places()).toBe(0);
    expect(await provider.send('m', LIFE_MS, never)).toEqual({ outcome: { kind: 'not-yet', until: 39_000 } });
    expect(transport.asked).toBe(10);
  });

  it('is not paused for failures among many more successes, nor for a few that all failed', async () => {
    for (let at = 0; at < 300; at += 1) {
      transport.outcomes = [at % 3 === 0 ? FAILING : SENT];
      await provider.send('m', LIFE_MS, never);
      now += 10;
    }
    now += 60_000;
    transport.outcomes = Array.from({ length: 9 }, () => FAILING);
    for (let at = 0; at < 9; at += 1) await provider.send('m', LIFE_MS, never);
    expect([changes, provider.places()]).toEqual([[], Infinity]);
  });

  it.each<readonly [string, Outcome, number]>([
    ['failures further apart', FAILING, 1200],
    ['messages that are refused', { kind: 'refused', reason: { code: 'service_failed' } }, 0],
    ['dead tokens', { kind: 'dead-token', reason: { code: 'service_failed' } }, 0],
  ])('is not paused for %s', async (_what, outcome, apartMs) => {
    for (let at = 0; at < 10; at += 1) {
      transport.outcomes = [outcome];
      await provider.send('m', LIFE_MS, never);
      now += apartMs;
    }
    expect([changes, provider.places()]).toEqual([[], Infinity]);
  });

  it('is probed with one message, and gets all messages again when that one succeeds', async () => {
    await open();
    now = 30_000 - 1;
    expect(provider.places()).toBe(0);
    now += 1;
    expect(provider.places()).toBe(1);
    const settle = begin();
    expect(provider.places()).toBe(0);
    expect(await provider.send('m', LIFE_MS, never)).toMatchObject({ outcome: { kind: 'not-yet' } });
    expect(await settle(SENT)).toMatchObject({ outcome: SENT });
    expect([changes, provider.places()]).toEqual([['failing', undefined], Infinity]);
  });

  it('is paused again when the probe fails', async () => {
    await open();
    now = 30_000;
    transport.outcomes = [FAILING];
    await provider.send('m', LIFE_MS, never);
    expect([changes, provider.places()]).toEqual([['failing', 'failing'], 0]);
    now += 30_000;
    await provider.send('m', LIFE_MS, never);
    expect([changes, provider.places()]).toEqual([['failing', 'failing', undefined], Infinity]);
  });

  it('has its failures counted from zero when it works again', async () => {
    provider = make(NEVER_MS, 60_000);
    await open();
    now = 30_000;
    await provider.send('m', LIFE_MS, never);
    transport.outcomes = Array.from({ length: 8 }, () => FAILING);
    for (let at = 0; at < 8; at += 1) await provider.send('m', LIFE_MS, never);
    expect(changes).toEqual(['failing', undefined]);
  });

  it('is judged by the probe alone, not by messages that began before the pause', async () => {
    const failing = begin();
    const succeeding = begin();
    await open();
    now = 1000;
    await failing(FAILING);
    await succeeding(SENT);
    expect([changes, provider.places()]).toEqual([['failing'], 0]);
    now = 30_000;
    expect(provider.places()).toBe(1);
  });

  it('is probed once more when the probe failed because of a defect in the service', async () => {
    await open();
    now = 30_000;
    await expect(begin()(new Error('a defect'))).rejects.toThrow('a defect');
    expect([changes, provider.places()]).toEqual([['failing'], 1]);
  });

  it('is tried again when the clock is set back, without waiting for it to catch up', async () => {
    now = 3_600_000;
    await open();
    expect(provider.places()).toBe(0);
    now = 0;
    expect(provider.places()).toBe(Infinity);
    expect(await provider.send('m', LIFE_MS, never)).toMatchObject({ outcome: SENT });
    expect(changes).toEqual(['failing', undefined]);
  });

  it('is not judged by what ended later by a clock that was set back', async () => {
    now = 3_600_000;
    transport.outcomes = Array.from({ length: 10 }, () => FAILING);
    for (let at = 0; at < 9; at += 1) await provider.send('m', LIFE_MS, never);
    now = 0;
    await provider.send('m', LIFE_MS, never);
    expect([changes, provider.places()]).toEqual([[], Infinity]);
  });

  it('is called more slowly by all when it reports too many requests', async () => {
    transport.outcomes = Array.from({ length: 20 }, () => ({
      kind: 'busy',
      reason: { code: 'service_failed' },
    }));
    await Promise.all(Array.from({ length: 20 }, () => provider.send('m', LIFE_MS, never)));
    expect([changes, provider.places()]).toEqual([[], 0]);
    // 20 at once were too many, so that 10 a second remain.
    expect(provider.untilPlaceMs()).toBeCloseTo(1000 / 9.75, 0);
    elapsed = 104;
    expect(provider.places()).toBe(1);
    provider.use(new ScriptedTransport());
    expect(provider.places()).toBe(Infinity);
  });

  it.each<readonly [string, number, number]>([
    ['as long as it asks', 20_000, 20_000],
    ['for at most a quarter of the message’s lifetime', 10 ** 12, LIFE_MS / 4],
  ])('is paused for all messages, %s', async (_how, retryAfterMs, waits) => {
    transport.outcomes = [{ kind: 'failing', reason: { code: 'service_failed' }, retryAfterMs }];
    await provider.send('m', LIFE_MS, never);
    elapsed = waits - 1;
    expect(provider.places()).toBe(0);
    elapsed = waits;
    expect(provider.places()).toBe(Infinity);
  });

  it('says what its messages wait for, and why', async () => {
    const busy: Outcome = { kind: 'busy', reason: { code: 'provider_busy', status: 429 } };
    const refused: Outcome = { kind: 'stopped', reason: { code: 'account_stopped', status: 402 } };
    expect(provider.hold).toBeUndefined();
    transport.outcomes = [busy];
    await provider.send('m', LIFE_MS, never);
    expect(provider.hold).toEqual({ cause: 'rate', reason: busy.reason });
    transport.outcomes = [{ ...FAILING, retryAfterMs: 5000 }];
    await provider.send('m', LIFE_MS, never);
    expect(provider.hold).toEqual({ cause: 'pause', reason: FAILING.reason });
    // A failure that asks for no pause gives no reason for one.
    elapsed = 5000;
    transport.outcomes = [{ kind: 'failing', reason: { code: 'provider_failing', status: 503 } }];
    await provider.send('m', LIFE_MS, never);
    transport.outcomes = [{ ...busy, retryAfterMs: 0 }];
    await provider.send('m', LIFE_MS, never);
    expect(provider.hold).toEqual({ cause: 'rate', reason: busy.reason });
    transport.outcomes = [refused];
    await provider.send('m', LIFE_MS, never);
    expect(provider.hold).toMatchObject({ cause: 'account', reason: refused.reason });
    provider = make();
    await open();
    expect(provider.hold).toMatchObject({ cause: 'failing', reason: FAILING.reason });
  });

  it('is aborted after the time-out, and its transport decides the outcome', async () => {
    provider = make(1);
    transport.onSend = (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(UNKNOWN);
        });
      });
    expect(await provider.send('m', LIFE_MS, never)).toMatchObject({ outcome: UNKNOWN });
  });

  it.each([
    ['while it is under way', false],
    ['before it began', true],
  ])('ends an attempt on a stop %s', async (_when, before) => {
    const stop = new AbortController();
    if (before) stop.abort();
    let isAborted = false;
    transport.onSend = async (signal) => {
      if (!before) stop.abort();
      isAborted = signal.aborted;
      return Promise.resolve(UNKNOWN);
    };
    const { outcome } = await provider.send('m', LIFE_MS, stop.signal);
    expect([outcome, isAborted]).toEqual([UNKNOWN, true]);
  });

  it('leaves no timer, and nothing on the signal of the stop, which outlives every message', async () => {
    for (let sent = 0; sent < 3; sent += 1) await provider.send('m', LIFE_MS, never);
    expect(getEventListeners(never, 'abort')).toEqual([]);
    expect(waiting.size).toBe(0);
  });

  it('uses a new transport from then on, and closes the old one when nothing is under way there', async () => {
    const settle = begin();
    const other = new ScriptedTransport();
    provider.use(other);
    await provider.send('m', LIFE_MS, never);
    expect([transport.asked, other.asked, transport.isClosed]).toEqual([1, 1, false]);
    expect(await settle(SENT)).toMatchObject({ outcome: SENT });
    await provider.close();
    expect([transport.isClosed, other.isClosed]).toEqual([true, true]);
  });

  it('is probed at once over a new transport if it is paused', async () => {
    await open();
    expect(provider.places()).toBe(0);
    provider.use(new ScriptedTransport());
    expect(provider.places()).toBe(1);
    await provider.send('m', LIFE_MS, never);
    expect(changes).toEqual(['failing', undefined]);
  });
});
