import type { Logger } from 'pino';

import type { Bound } from '../asmx/internal';

/** Callers can hit a limit as often as they like: each is logged at most once in this time. */
const INTERVAL_MS = 60_000;

const MESSAGES: Readonly<Record<Bound, string>> = {
  bodies: 'too many large request bodies (8 over 64 KB); callers get 503',
  connections: 'too many connections (MAX_CONNECTIONS); idle ones are closed, further callers get 503',
  descriptors:
    'out of file descriptors, connections are refused; raise the limit (ulimit -n) or lower MAX_CONNECTIONS',
  unsent: 'callers do not read their responses (16 times MAX_BODY_BYTES); the slowest are disconnected',
};

/** Logs that a shared limit was hit: at once, and then at most once a minute. */
export class BoundLog {
  readonly #logger: Logger;
  readonly #logged = new Map<Bound, { atMs: number; times: number }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(bound: Bound): void {
    const now = performance.now();
    const logged = this.#logged.get(bound);
    if (logged !== undefined && now - logged.atMs < INTERVAL_MS) {
      logged.times += 1;
      return;
    }
    this.#logged.set(bound, { atMs: now, times: 0 });
    this.#logger.warn({ bound, times: (logged?.times ?? 0) + 1 }, MESSAGES[bound]);
  }
}
