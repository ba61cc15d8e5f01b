import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import type { MessageChannel } from './channels';
import { firstMessageId, type MessageState } from './messages';
import { type Reason, readReason } from './reasons';
import { HOUR_MS } from '../../support/durations';

/** SMS and push messages by when they were accepted. */
interface RecentCounts {
  readonly accepted: number;
  readonly sent: number;
  /** Part of `sent`. */
  readonly delivered: number;
  /** Part of `sent`, too: reported as not delivered. */
  readonly undelivered: number;
  /** Written to a file in place of sending them. */
  readonly written: number;
  /** Failed and expired ones, with the mark notes that came to no push message. */
  readonly failed: number;
}

/** Messages of the last 24 hours that failed or expired for one reason. */
export interface FailureGroup {
  readonly channel: MessageChannel;
  readonly state: MessageState;
  readonly reason: Reason | null;
  readonly messages: number;
  /** When the first of them failed, in milliseconds since 1970 UTC. */
  readonly since: number;
  /** When the last of them expires, in milliseconds since 1970 UTC. */
  readonly expiresAt: number;
}

export interface RecentMessages {
  readonly hour: RecentCounts;
  readonly day: RecentCounts;
  /** The largest first. */
  readonly failures: readonly FailureGroup[];
}

/** The least ids of the last hour and the last 24 hours. */
interface Since {
  readonly hour: string;
  readonly day: string;
}

const COUNTS = hotRead<
  { readonly since: string },
  readonly [accepted: number, sent: number, delivered: number, undelivered: number, written: number]
>(
  'recent_counts',
  (param) => sql`select count(*), count(*) filter (where state = 'sent'),
      count(*) filter (where receipt = 'delivered'), count(*) filter (where receipt = 'undelivered'),
      count(*) filter (where state = 'written')
    from messages where id >= ${param(({ since }) => since)} and channel <> 'mark'`,
);

/** In the words of the index of states. The push messages of a mark note are counted themselves. */
const FAILURES = hotRead<
  Since,
  readonly [
    channel: string,
    state: string,
    reason: string | null,
    params: string | null,
    messages: number,
    ofHour: number,
    since: number,
    expiresAt: number,
  ]
>(
  'recent_failures',
  (param) => sql`select channel, state, reason, reason_params, count(*),
      count(*) filter (where id >= ${param(({ hour }) => hour)}), min(updated_at), max(expires_at)
    from messages where state in ('failed', 'expired') and state not in ('queued', 'sending')
      and id >= ${param(({ day }) => day)} and (reason is null or reason <> 'pushes_not_sent')
    group by channel, state, reason, reason_params order by 5 desc, 3, 4`,
);

/** Reads what became of the messages of the last 24 hours. @param now - milliseconds since 1970 UTC */
export async function readRecent(connection: Connection, now: number): Promise<RecentMessages> {
  const since = { hour: firstMessageId(now - HOUR_MS), day: firstMessageId(now - 24 * HOUR_MS) };
  const [hour, day, failures] = await Promise.all([
    countsSince(connection, since.hour),
    countsSince(connection, since.day),
    connection.rows(FAILURES, since),
  ]);
  const failed = (column: 4 | 5): number => failures.reduce((sum, row) => sum + row[column], 0);
  return {
    hour: { ...hour, failed: failed(5) },
    day: { ...day, failed: failed(4) },
    failures: failures.map(([channel, state, reason, params, messages, , first, expiresAt]) => ({
      // Only this program writes the columns, from these types.
      channel: channel as MessageChannel,
      state: state as MessageState,
      reason: readReason(reason, params),
      messages,
      since: first,
      expiresAt,
    })),
  };
}

async function countsSince(connection: Connection, since: string): Promise<Omit<RecentCounts, 'failed'>> {
  const [counts] = await connection.rows(COUNTS, { since });
  const [accepted = 0, sent = 0, delivered = 0, undelivered = 0, written = 0] = counts ?? [];
  return { accepted, sent, delivered, undelivered, written };
}
