import { Pace } from '../../../src/delivery/senders/pace';

const SECOND = 1000;

/** A gateway by the second at which a message comes: whether it takes it. */
type Gateway = (second: number) => boolean;

/** Lets in at most so many in each of the periods, whenever in them. */
function inWindows(most: number, seconds: number): Gateway {
  let [window, taken] = [-1, 0];
  return (now) => {
    const current = Math.floor(now / seconds);
    if (current !== window) [window, taken] = [current, 0];
    taken += 1;
    return taken <= most;
  };
}

/** A bucket that holds so many, and fills up at a rate. */
function bucket(rate: number, holds: number): Gateway {
  let [held, at] = [holds, 0];
  return (now) => {
    held = Math.min(holds, held + (now - at) * rate);
    at = now;
    if (held < 1) return false;
    held -= 1;
    return true;
  };
}

interface Burst {
  readonly messages: number;
  readonly takes: Gateway;
  readonly concurrency?: number;
  /** How long the gateway takes to answer, in milliseconds. */
  readonly latency?: number;
}

/** Sends a burst as a channel worker does, which looks when a message has ended, and twice a second. */
function send({ messages, takes, concurrency = 16, latency = 40 }: Burst) {
  let now = 0;
  const pace = new Pace(() => now);
  const underWay: { readonly begin: number; readonly endsAt: number }[] = [];
  let [left, requests] = [messages, 0];
  while (left > 0 && now < 3600 * SECOND) {
    const ended = underWay.filter(({ endsAt }) => endsAt <= now);
    for (const each of ended) {
      underWay.splice(underWay.indexOf(each), 1);
      if (takes(now / SECOND)) {
        left -= 1;
        pace.taken();
      } else pace.tooFast(each.begin);
    }
    if (ended.length > 0 || now % 500 === 0) {
      const free = Math.min(pace.places(), concurrency - underWay.length, left - underWay.length);
      for (let at = 0; at < free; at += 1) {
        underWay.push({ begin: pace.begin(), endsAt: now + latency });
        requests += 1;
      }
    }
    now += 10;
  }
  return { seconds: now / SECOND, requests };
}

describe('the pace to a provider', () => {
  it.each<readonly [string, Burst, number]>([
    ['4 a second, in a bucket', { messages: 500, takes: bucket(4, 4) }, 125],
    ['4 a second, each second by itself', { messages: 500, takes: inWindows(4, 1) }, 125],
    ['240 a minute, each minute by itself', { messages: 500, takes: inWindows(240, 60) }, 125],
    ['240 a minute, in a bucket of a minute', { messages: 500, takes: bucket(4, 240) }, 65],
    ['10 a second', { messages: 2000, takes: bucket(10, 10) }, 200],
    ['5 a second, and answers after 2 s', { messages: 500, takes: bucket(5, 5), latency: 2000 }, 100],
    ['200 a second', { messages: 20_000, takes: bucket(200, 200), concurrency: 64 }, 100],
  ])('delivers a burst to a provider with a limit of %s', (_what, burst, fastest) => {
    const { seconds, requests } = send(burst);
    expect(seconds).toBeLessThan(fastest * 1.35);
    expect(requests).toBeLessThan(burst.messages * 1.2);
  });

  it('is unlimited until the provider complains, and again ten minutes after the last complaint', () => {
    let now = 0;
    const pace = new Pace(() => now);
    expect(pace.places()).toBe(Infinity);
    pace.tooFast(pace.begin());
    expect(pace.places()).toBe(0);
    now = 600_000;
    expect(pace.places()).toBe(1);
    now += 1;
    expect(pace.places()).toBe(Infinity);
  });

  it('keeps to a known limit from the first message, and to its share of that limit', () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.keepTo(10);
    let begun = 0;
    const pass = (seconds: number): number => {
      begun = 0;
      for (const end = now + seconds * SECOND; now < end; now += 100) {
        for (let places = pace.places(); places > 0; places -= 1) begun += pace.begin() === now ? 1 : 0;
      }
      return begun;
    };
    expect(pass(10)).toBe(99);
    pace.shareAmong(4);
    expect(pass(40)).toBe(100);
    // Fewer where it complains all the same, and no more afterwards.
    pace.tooFast(pace.begin());
    expect(pass(4)).toBeLessThan(8);
    pace.forget();
    expect(pass(40)).toBe(100);
    // A node that joins others sends nothing at first; without a limit there is nothing to share.
    pace.shareAmong(Infinity);
    expect(pass(10)).toBe(0);
    pace.keepTo(undefined);
    expect(pace.places()).toBe(Infinity);
  });

  it('is halved once for messages that were under way together', () => {
    let now = 0;
    const pace = new Pace(() => now);
    const begun = Array.from({ length: 40 }, () => pace.begin());
    now = 10;
    for (const each of begun) pace.tooFast(each);
    now += 500;
    // 40 in a second were too many: 20 are left, and so 10 in half of one.
    expect(pace.places()).toBe(10);
    pace.tooFast(now);
    now += 500;
    expect(pace.places()).toBe(5);
  });

  it('saves up no more than a channel worker running twice a second needs', () => {
    let now = 0;
    const pace = new Pace(() => now);
    for (let at = 0; at < 40; at += 1) pace.begin();
    pace.tooFast(0);
    now = 60_000;
    expect(pace.places()).toBe(12);
  });

  it('is zero during a pause, for the longest of several, and unchanged afterwards', () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.pause(3000);
    pace.pause(1000);
    now = 2999;
    expect(pace.places()).toBe(0);
    now = 3000;
    expect(pace.places()).toBe(Infinity);
  });

  it('is reset when the connection to the provider changes', () => {
    const pace = new Pace(() => 0);
    pace.tooFast(pace.begin());
    pace.pause(1000);
    pace.forget();
    expect(pace.places()).toBe(Infinity);
  });
});
