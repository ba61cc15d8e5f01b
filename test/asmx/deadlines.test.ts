// The wire contract, section 3, step 7: a handler that takes too long is one that throws.

import { Deadlines } from '../../src/asmx/deadlines';

describe('deadlines', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('each expire once, after their own time', () => {
    const expired: string[] = [];
    const deadlines = new Deadlines(1000);
    const begin = (name: string) => deadlines.begin(() => expired.push(name));
    const first = begin('first');
    jest.advanceTimersByTime(400);
    const second = begin('second');
    jest.advanceTimersByTime(400);
    const third = begin('third');

    jest.advanceTimersByTime(199);
    expect(expired).toEqual([]);
    expect(deadlines.end(second)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(expired).toEqual(['first']);
    expect(deadlines.end(first)).toBe(false);
    jest.advanceTimersByTime(799);
    expect(expired).toEqual(['first']);
    jest.advanceTimersByTime(1);
    expect(expired).toEqual(['first', 'third']);
    expect(deadlines.end(third)).toBe(false);
    jest.advanceTimersByTime(10_000);
    expect(expired).toEqual(['first', 'third']);
  });

  it('share one timer, which ends when none are left', () => {
    const deadlines = new Deadlines(1000);
    for (let at = 0; at < 100; at += 1) deadlines.end(deadlines.begin(() => undefined));
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1000);
    expect(jest.getTimerCount()).toBe(0);

    const expire = jest.fn();
    deadlines.begin(expire);
    jest.advanceTimersByTime(1000);
    expect(expire).toHaveBeenCalledTimes(1);
  });
});
