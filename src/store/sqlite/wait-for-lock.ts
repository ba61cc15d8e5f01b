import { setTimeout as delay } from 'node:timers/promises';

import { isBusy } from './sqlite-error';

/** Pauses between tries, in milliseconds; the last one repeats. */
const PAUSES_MS = [1, 2, 5, 10, 20];

/**
 * Tries again while another connection holds the lock. SQLite's own busy_timeout would stop the event loop
 * for that time, and for all of it where the other connection belongs to the same thread.
 *
 * @throws what `action` throws, once it is something else or the time is over
 */
export async function waitForLock<T>(action: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]);
  }
}
