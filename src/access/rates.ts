/** Most keys that are counted apart; who comes later shares one count. */
const MOST_KEYS = 10_000;
const OTHERS = '';
/** What arithmetic with fractions may be off by. */
const ROUNDING = 1e-6;

/**
 * Counts by key what happened in the last so many seconds: that of the window before weighs as much as still
 * belongs to them. Costs one count a key, however high the limit.
 */
export class Rates {
  readonly #windowMs: number;
  readonly #now: () => number;
  #begin: number;
  #current = new Map<string, number>();
  #previous = new Map<string, number>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(windowMs: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#now = now;
    this.#begin = now();
  }

  /**
   * Counts one more, unless the limit is reached.
   *
   * @returns 0, or after how many seconds it may be tried again
   */
  take(key: string, limit: number): number {
    const passed = this.#turn();
    const counted = this.#current.has(key) || this.#current.size < MOST_KEYS ? key : OTHERS;
    const current = this.#current.get(counted) ?? 0;
    const previous = this.#previous.get(counted) ?? 0;
    if (current + previous * (1 - passed) + 1 <= limit + ROUNDING) {
      this.#current.set(counted, current + 1);
      return 0;
    }
    return this.#wait(current, previous, limit, passed);
  }

  /** Which part of the current window is over. */
  #turn(): number {
    const now = this.#now();
    const passed = (now - this.#begin) / this.#windowMs;
    if (passed < 1) return passed;
    this.#previous = passed < 2 ? this.#current : new Map<string, number>();
    this.#current = new Map();
    this.#begin += Math.floor(passed) * this.#windowMs;
    return passed % 1;
  }

  /** Seconds until the count is one below the limit, if nothing more happens. */
  #wait(current: number, previous: number, limit: number, passed: number): number {
    if (limit < 1) return this.#windowMs / 1000;
    const left = limit - 1;
    // The share of a window that must be over before its count weighs no more than what is left.
    const share = left >= current ? 1 - (left - current) / previous : 2 - left / current;
    return Math.max(1, Math.ceil(((share - passed) * this.#windowMs) / 1000 - ROUNDING));
  }
}
