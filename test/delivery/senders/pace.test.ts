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

/** How much later than it should a timer of a busy process comes, and a claim takes, in milliseconds. */
const LATE_MS = 15;

/** Sends a burst as a channel worker does: it looks when a message has ended, and when the next may be started. */
function send({ messages, takes, concurrency = 16, latency = 40 }: Burst, rate?: number) {
  let now = 0;
  const pace = new Pace(() => now);
  pace.keepTo(rate);
  const underWay: { readonly begin: number; readonly endsAt: number }[] = [];
  const accepted: number[] = [];
  let [requests, lookAt] = [0, 0];
  while (accepted.length < messages && now < 3600 * SECOND) {
    const ended = underWay.filter(({ endsAt }) => endsAt <= now);
    for (const each of ended) {
      underWay.splice(underWay.indexOf(each), 1);
      if (takes(now / SECOND)) {
        accepted.push(now);
        pace.taken();
      } else pace.tooFast(each.begin);
    }
    if (ended.length > 0 || now >= lookAt) {
      const left = messages - accepted.length - underWay.length;
      const free = Math.min(pace.places(), concurrency - underWay.length, left);
      for (let at = 0; at < free; at += 1) {
        underWay.push({ begin: pace.begin(), endsAt: now + latency });
        requests += 1;
      }
      lookAt = now + Math.max(1, pace.untilPlaceMs()) + LATE_MS;
    }
    now += 1;
  }
  return { seconds: now / SECOND, requests, accepted };
}

/** Returns the fewest messages that were accepted in any ten seconds, without the first ones and the last ones. */
function fewestInTenSeconds(accepted: readonly number[], from: number): number {
  const end = (accepted.at(-1) ?? 0) - 10 * SECOND;
  let fewest = Infinity;
  let after = 0;
  let until = 0;
  for (const start of accepted.filter((at) => at >= from && at < end)) {
    while ((accepted[after] ?? Infinity) <= start) after += 1;
    while ((accepted[until] ?? Infinity) <= start + 10 * SECOND) until += 1;
    fewest = Math.min(fewest, until - after);
  }
  return fewest;
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
    expect(seconds).toBeLessThan(fastest * 1.25);
    expect(requests).toBeLessThan(burst.messages * 1.2);
  });

  it.each([1, 3, 4, 10, 30, 64, 200])(
    'uses 95 %% of a declared rate of %d a second in any ten seconds, without a complaint',
    (rate) => {
      for (const takes of [bucket(rate, rate), inWindows(rate, 1), inWindows(rate * 10, 10)]) {
        const messages = rate * 60;
        const { accepted, requests } = send({ messages, takes, concurrency: 64 }, rate);
        expect(requests).toBe(messages);
        expect(fewestInTenSeconds(accepted, 0)).toBeGreaterThanOrEqual(Math.floor(rate * 9.5));
      }
    },
  );

  it.each([4, 10, 30])('uses 85 %% of an unknown rate of %d a second once it has found it', (rate) => {
    for (const takes of [bucket(rate, rate), inWindows(rate, 1)]) {
      const messages = rate * 120;
      const { accepted, requests } = send({ messages, takes });
      expect(requests).toBeLessThan(messages * 1.2);
      expect(fewestInTenSeconds(accepted, 10 * SECOND)).toBeGreaterThanOrEqual(rate * 8.5);
    }
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
      for (const end = now + seconds * SECOND; now < end; now += 10) {
        for (let places = pace.places(); places > 0; places -= 1) begun += pace.begin() === now ? 1 : 0;
      }
      return begun;
    };
    expect(pass(10)).toBe(97);
    pace.shareAmong(4);
    expect(pass(40)).toBe(97);
    // Fewer where it complains all the same, and no more afterwards.
    pace.tooFast(pace.begin());
    expect(pass(4)).toBeLessThan(8);
    pace.forget();
    expect(pass(40)).toBe(98);
    // A node that joins others sends nothing at first; without a limit there is nothing to share.
    pace.shareAmong(Infinity);
    expect(pass(10)).toBe(0);
    pace.keepTo(undefined);
    expect(pace.places()).toBe(Infinity);
  });

  it('is reduced once for messages that were in progress together, and further while none is accepted', () => {
    let now = 0;
    const pace = new Pace(() => now);
    const begun = Array.from({ length: 40 }, () => pace.begin());
    now = 10;
    for (const each of begun) pace.tooFast(each);
    // 40 in a second were too many: 20 are left, less the reserve.
    now += 1000;
    expect(pace.places()).toBe(1);
    pace.begin();
    expect(pace.untilPlaceMs()).toBeCloseTo(1000 * (0.6 / 19.5), 0);
    pace.tooFast(now);
    expect(pace.untilPlaceMs()).toBeCloseTo(1000 / 9.75, 0);
  });

  it('saves up next to nothing, because providers count each second by itself', () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.keepTo(200);
    now = 60_000;
    expect(pace.places()).toBe(5);
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
