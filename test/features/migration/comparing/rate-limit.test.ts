import { RateLimit } from '../../../../src/features/migration/comparing/rate-limit';

/** A clock that advances only when it is waited for. */
function clock() {
  const state = { now: 1000, waited: [] as number[] };
  return {
    state,
    now: () => state.now,
    wait: (milliseconds: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      state.waited.push(milliseconds);
      return Promise.resolve();
    },
  };
}

describe('the pace of requests', () => {
  const { signal } = new AbortController();

  it('limits requests per second, and spaces out simultaneous ones', async () => {
    const { state, ...time } = clock();
    const pace = new RateLimit(4, time);
    for (let turn = 0; turn < 3; turn += 1) await pace.turn(signal);
    expect(state.waited).toEqual([250, 500]);
    // Who comes late does not have the time made up for.
    state.now += 10_000;
    for (let turn = 0; turn < 2; turn += 1) await pace.turn(signal);
    expect(state.waited).toEqual([250, 500, 250]);
  });

  it('lets all through if there is no limit', async () => {
    const { state, ...time } = clock();
    const pace = new RateLimit(undefined, time);
    for (let turn = 0; turn < 5; turn += 1) await pace.turn(signal);
    expect(state.waited).toEqual([]);
  });

  it('ends with the signal, even while waiting', async () => {
    const ending = new AbortController();
    const pace = new RateLimit(0.001);
    await pace.turn(ending.signal);
    const waiting = pace.turn(ending.signal);
    ending.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
