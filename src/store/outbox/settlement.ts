import { sql } from 'kysely';

import type { HotStatement } from '../engine';
import { attemptLine, type NewAttempt } from './attempts';
import type { MessageState } from './messages';

/** What became of a leased message. */
export interface Settlement {
  readonly id: string;
  readonly owner: string;
  /** Until when the worker had leased it: it may have leased it once more, after it had lost it. */
  readonly leaseUntil: number;
  readonly state: Exclude<MessageState, 'sending' | 'partly'>;
  /** When it is due again, where the state is `queued`. */
  readonly nextAttemptAt: number;
  /** Whether the attempt counts. */
  readonly attempted: boolean;
  /** Whether what it held is erased. */
  readonly erase: boolean;
  readonly providerId: string | null;
  /** Why it is not sent, without personal data. */
  readonly reason: string | null;
  readonly now: number;
  /** What is kept of the attempt; absent where nothing was tried. */
  readonly attempt?: NewAttempt;
}

/**
 * Only under the lease with which the worker claimed it. The lease is asked for so that the index of leases does not
 * have it: PostgreSQL took that for each message, since few are leased at a time, and read what all the others had left
 * in it since the last vacuum, some 800 entries a message.
 */
export const SETTLE: HotStatement<Settlement, readonly [id: string]> = {
  name: 'settle_message',
  kind: 'write',
  gathers: true,
  build: (_db, param, calls) => sql`update messages
    set state = ${param(({ state }) => state)},
      next_attempt_at = ${param.integer(({ nextAttemptAt }) => nextAttemptAt)},
      attempts = attempts - ${param.integer(({ attempted }) => (attempted ? 0 : 1))},
      payload = case when ${param.integer(({ erase }) => (erase ? 1 : 0))} = 1 then null else payload end,
      provider_id = ${param(({ providerId }) => providerId)}, last_error = ${param(({ reason }) => reason)},
      attempt_log = coalesce(attempt_log, '') || ${param(({ attempt, providerId }) =>
        attempt === undefined ? '' : attemptLine(attempt, providerId),
      )},
      parts = coalesce(${param.integer(({ attempt }) => attempt?.parts ?? null)}, parts),
      updated_at = ${param.integer(({ now }) => now)}, lease_owner = null, lease_until = null
    ${calls.from}
    where id = ${param(({ id }) => id)} and lease_owner = ${param(({ owner }) => owner)}
      and case when state = 'sending' then lease_until end = ${param.integer(({ leaseUntil }) => leaseUntil)}
    returning id ${calls.at}`,
};
