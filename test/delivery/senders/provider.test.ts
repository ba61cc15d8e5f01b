import type { Channel } from '../../../src/delivery/transports/transport';
import type { Outcome } from '../../../src/delivery/outcome/outcome';
import { Provider } from '../../../src/delivery/senders/provider';

const FAILING: Outcome = { kind: 'failing', reason: 'x' };
const SENT: Outcome = { kind: 'sent' };
const never = new AbortController().signal;

class ScriptedChannel implements Channel<string> {
  readonly name = 'scripted';
  answers: Outcome[] = [];
  asked = 0;
  send(): Promise<Outcome> {
    this.asked += 1;
    return Promise.resolve(this.answers.shift() ?? SENT);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a provider', () => {
  let channel: ScriptedChannel;
  let changes: boolean[];
  beforeEach(() => {
    channel = new ScriptedChannel();
    changes = [];
  });
  const make = (now: () => number, probeAfterMs = 30_000): Provider<string> =>
    new Provider(
      channel,
      { concurrency: 3, timeoutMs: 1000, breaker: { failures: 5, withinMs: 10_000, probeAfterMs } },
      now,
      (open) => changes.push(open),
    );

  it('is left alone after five failures in ten seconds, whatever succeeds between', async () => {
    const provider = make(() => 0);
    channel.answers = [FAILING, SENT, FAILING, FAILING, SENT, FAILING, { kind: 'unknown', reason: 'x' }];
    for (let at = 0; at < 7; at += 1) await provider.send('m', never);
    expect(changes).toEqual([true]);
    expect(provider.places()).toBe(0);
    expect(await provider.send('m', never)).toEqual({ kind: 'not-yet', until: 30_000 });
    expect(channel.asked).toBe(7);
  });

  it.each<readonly [string, Outcome, number]>([
    ['failures that lie further apart', FAILING, 2501],
    ['messages that are refused', { kind: 'refused', reason: 'x' }, 0],
    ['too many messages at once', { kind: 'busy', reason: 'x' }, 0],
    ['dead tokens', { kind: 'dead-token', reason: 'x' }, 0],
  ])('is not left alone for %s', async (_what, outcome, apartMs) => {
    let now = 0;
    const provider = make(() => now);
    for (let at = 0; at < 10; at += 1) {
      channel.answers = [outcome];
      await provider.send('m', never);
      now += apartMs;
    }
    expect([changes, provider.places()]).toEqual([[], 3]);
  });

  it('is probed with one message, and has all of them again when that one is taken', async () => {
    const provider = make(Date.now, 0);
    channel.answers = [FAILING, FAILING, FAILING, FAILING, FAILING];
    for (let at = 0; at < 5; at += 1) await provider.send('m', never);
    expect(provider.places()).toBe(1);
    channel.answers = [FAILING];
    await provider.send('m', never);
    expect(changes).toEqual([true, true]);
    await provider.send('m', never);
    expect(changes).toEqual([true, true, false]);
    expect(provider.places()).toBe(3);
  });

  it('is tried again when the clock is put back, not left alone until it has caught up', async () => {
    let now = 3_600_000;
    const provider = make(() => now);
    channel.answers = [FAILING, FAILING, FAILING, FAILING, FAILING];
    for (let at = 0; at < 5; at += 1) await provider.send('m', never);
    expect(provider.places()).toBe(0);
    now = 0;
    expect(provider.places()).toBe(3);
    expect(await provider.send('m', never)).toEqual(SENT);
  });
});
