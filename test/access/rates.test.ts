import { Rates } from '../../src/access/rates';

describe('a rate limit', () => {
  let now = 0;
  const rates = (): Rates => {
    now = 5_000;
    return new Rates(60_000, () => now);
  };
  const takes = (book: Rates, count: number, limit: number, key = 'a'): number =>
    Array.from({ length: count }, () => book.take(key, limit)).filter((wait) => wait === 0).length;

  it('admits its number of calls, and returns when the next is allowed', () => {
    const book = rates();
    expect(takes(book, 10, 3)).toBe(3);
    const wait = book.take('a', 3);
    now += (wait - 1) * 1000;
    expect(book.take('a', 3)).toBeGreaterThan(0);
    now += 1000;
    expect(book.take('a', 3)).toBe(0);
  });

  it.each([1, 2, 3, 10, 100])('of %i holds in the long run, whatever the pattern of calls', (limit) => {
    const book = rates();
    let passed = 0;
    for (let second = 0; second < 600; second += 1) {
      passed += takes(book, 2 * limit, limit);
      now += 1000;
    }
    expect(passed).toBeGreaterThanOrEqual(limit * 5);
    expect(passed).toBeLessThanOrEqual(limit * 11);
  });

  it.each([1, 5, 100])('of %i admits a call after the wait that it returned', (limit) => {
    const book = rates();
    for (let round = 0; round < 20; round += 1) {
      takes(book, limit + 1, limit);
      now += book.take('a', limit) * 1000;
      expect(book.take('a', limit)).toBe(0);
      now += 7_000;
    }
  });

  it('of zero admits nothing', () => {
    const book = rates();
    expect(takes(book, 5, 0)).toBe(0);
    expect(book.take('a', 0)).toBe(60);
  });

  it('returns the seconds until the weighted count leaves room', () => {
    const book = rates();
    takes(book, 3, 3);
    // Two of three are left when a third of the next window is over.
    expect(book.take('a', 3)).toBe(80);
    now += 66_000;
    expect(book.take('a', 3)).toBe(14);
    now += 14_000;
    expect(takes(book, 2, 3)).toBe(1);
    // Then the new one counts whole, and one of the three may be left.
    expect(book.take('a', 3)).toBe(20);
  });

  it('forgets a call that is given back, but no other', () => {
    const book = rates();
    expect(takes(book, 3, 3)).toBe(3);
    book.giveBack('a');
    expect(takes(book, 3, 3)).toBe(1);
    book.giveBack('b');
    expect(takes(book, 3, 3, 'b')).toBe(3);
    // The call was counted in a window that has ended.
    now += 120_000;
    expect(takes(book, 1, 3, 'b')).toBe(1);
    book.giveBack('a');
    expect(takes(book, 9, 3)).toBe(3);
  });

  it('is separate for each key', () => {
    const book = rates();
    expect(takes(book, 3, 2, 'a')).toBe(2);
    expect(takes(book, 3, 2, 'b')).toBe(2);
  });

  it('starts over after two windows without calls', () => {
    const book = rates();
    takes(book, 5, 5);
    now += 120_000;
    expect(takes(book, 9, 5)).toBe(5);
  });

  it('is shared by new keys once too many are counted', () => {
    const book = rates();
    for (let key = 0; key < 10_000; key += 1) book.take(String(key), 1);
    expect(book.take('late', 2)).toBe(0);
    expect(book.take('later', 2)).toBe(0);
    expect(book.take('latest', 2)).toBeGreaterThan(0);
    expect(book.take('7', 2)).toBe(0);
  });
});
