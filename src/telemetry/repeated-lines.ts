import { LRUCache } from 'lru-cache';

/** Callers repeat what they do: the same thing is logged at most once in this time. */
const INTERVAL_MS = 60_000;
/** Maximum number of things remembered with the time of their last log line. */
const MAX_REMEMBERED = 1000;

/** Decides when something that happens again and again is logged: at once, and then at most once a minute. */
export class RepeatedLines {
  readonly #logged = new LRUCache<string, { atMs: number; times: number }>({ max: MAX_REMEMBERED });

  /**
   * Counts an occurrence of something.
   *
   * @returns the number of occurrences since its last line; undefined if that is less than a minute old
   */
  count(what: string): number | undefined {
    const now = performance.now();
    const logged = this.#logged.get(what);
    if (logged !== undefined && now - logged.atMs < INTERVAL_MS) {
      logged.times += 1;
      return undefined;
    }
    this.#logged.set(what, { atMs: now, times: 0 });
    return (logged?.times ?? 0) + 1;
  }
}
