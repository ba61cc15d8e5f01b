import type { Logger } from 'pino';

import type { Bound } from '../asmx';

/** Callers can reach a bound as often as they like: no more than one line of it in this time. */
const INTERVAL_MS = 60_000;

const MESSAGES: Readonly<Record<Bound, string>> = {
  bodies: 'no room for more request bodies over 4 KB (MAX_LARGE_BODIES): callers get 503',
  connections: 'no more connections (MAX_CONNECTIONS): idle ones are closed, further callers get 503',
  descriptors:
    'no more file descriptors: connections are refused; raise the limit (ulimit -n), or lower MAX_CONNECTIONS',
  unsent: 'callers do not read their responses (MAX_UNSENT_BYTES): those that stand still are cut off',
};

/** Tells the operator that a bound on all callers together is reached: at once, and then at most once a minute. */
export class BoundLog {
  readonly #logger: Logger;
  readonly #told = new Map<Bound, { atMs: number; times: number }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(bound: Bound): void {
    const now = performance.now();
    const told = this.#told.get(bound);
    if (told !== undefined && now - told.atMs < INTERVAL_MS) {
      told.times += 1;
      return;
    }
    this.#told.set(bound, { atMs: now, times: 0 });
    this.#logger.warn({ bound, times: (told?.times ?? 0) + 1 }, MESSAGES[bound]);
  }
}
