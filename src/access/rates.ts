import { ownText } from '../support/own-text';

/** Maximum number of keys counted separately; further ones share one count. */
const MAX_KEYS = 10_000;
const OTHERS = '';
/** Maximum error of fractional arithmetic. */
const ROUNDING = 1e-6;

/**
 * Counts events by key in a sliding window: the previous window is weighted by its remaining share. A key
 * costs one count, however high the limit.
 */
export class Rates {
  readonly #windowMs: number;
  readonly #now: () => number;
  #begin: number;
  #current = new Map<string, number>();
  #previous = new Map<string, number>();

  /** @param now milliseconds of a monotonic clock */
  constructor(windowMs: number, now: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#now = now;
    this.#begin = now();
  }

  /**
   * Counts one more event, unless the limit is reached.
   *
   * @returns 0, or the number of seconds until the next attempt
   */
  take(key: string, limit: number): number {
    const passed = this.#turn();
    const counted = this.#current.has(key) || this.#current.size < MAX_KEYS ? key : OTHERS;
    const current = this.#current.get(counted) ?? 0;
    const previous = this.#previous.get(counted) ?? 0;
    if (current + previous * (1 - passed) + 1 <= limit + ROUNDING) {
      this.#current.set(current === 0 ? ownText(counted) : counted, current + 1);
      return 0;
    }
    return this.#wait(current, previous, limit, passed);
  }

  /** Takes back an event of the current window, such as an attempt that turned out to be right. */
  giveBack(key: string): void {
    const current = this.#current.get(key) ?? 0;
    if (current > 0) this.#current.set(key, current - 1);
  }

  /** Returns the elapsed share of the current window. */
  #turn(): number {
    const now = this.#now();
    const passed = (now - this.#begin) / this.#windowMs;
    if (passed < 1) return passed;
    this.#previous = passed < 2 ? this.#current : new Map<string, number>();
    this.#current = new Map();
    this.#begin += Math.floor(passed) * this.#windowMs;
    return passed % 1;
  }

  /** Returns the number of seconds until the count is one below the limit, without further events. */
  #wait(current: number, previous: number, limit: number, passed: number): number {
    if (limit < 1) return this.#windowMs / 1000;
    const left = limit - 1;
    // Elapsed share of a window at which its weighted count has fallen to what is left.
    const share = left >= current ? 1 - (left - current) / previous : 2 - left / current;
    return Math.max(1, Math.ceil(((share - passed) * this.#windowMs) / 1000 - ROUNDING));
  }
}
