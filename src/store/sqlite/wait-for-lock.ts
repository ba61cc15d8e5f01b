import { setTimeout as delay } from 'node:timers/promises';

import { isBusy } from './sqlite-error';

/** Between tries, in milliseconds: who tries seldom finds the lock taken again. */
export const PAUSE_MS = 1;

/**
 * Tries again while another connection holds the lock. SQLite's own busy_timeout would stop the event loop
 * for that time, and for all of it where the other connection belongs to the same thread.
 *
 * @throws what `action` throws, once it is something else or the time is over
 */
export async function waitForLock<T>(action: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(PAUSE_MS);
  }
}
