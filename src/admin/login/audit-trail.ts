import type { Logger } from 'pino';

import { Rates } from '../../access';
import type { AuditEntry, Store } from '../../store';
import { HOUR_MS } from '../../support/durations';

/**
 * Maximum number of refused log-ins recorded in an hour: strangers can cause any number. The log has all of
 * them.
 */
const MAX_REFUSED = 100;

/** Records in the database who did what. An action does not fail with its record; the log then has both. */
export class AuditTrail {
  readonly #store: Pick<Store, 'write'>;
  readonly #logger: Logger;
  readonly #refused = new Rates(HOUR_MS);

  constructor(store: Pick<Store, 'write'>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async note(who: string, action: string, detail: AuditEntry['detail']): Promise<void> {
    if (action === 'log-in refused' && this.#refused.take(action, MAX_REFUSED) > 0) return;
    try {
      await this.#store.write(({ audit }) => audit.add({ at: Date.now(), who, action, detail }));
    } catch (error) {
      this.#logger.error({ err: error, who, action }, 'audit entry not stored');
    }
  }
}
