import type { Logger } from 'pino';

import type { Bound } from '../asmx/internal';
import { RepeatedLines } from './repeated-lines';

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
  readonly #lines = new RepeatedLines();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(bound: Bound): void {
    const times = this.#lines.count(bound);
    if (times !== undefined) this.#logger.warn({ bound, times }, MESSAGES[bound]);
  }
}
