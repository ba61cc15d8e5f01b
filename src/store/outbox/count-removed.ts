import { createHash } from 'node:crypto';

import { sql } from 'kysely';

import type { Connection, Database } from '../engine';
import type { Calendar } from './calendar';
import { timeOfMessageId } from './message-id';

/** What is counted of a message. */
export interface RemovedMessage {
  readonly id: string;
  readonly channel: string;
  readonly state: string;
  readonly school: string;
  readonly country: string;
  readonly caller: string | null;
  readonly parts: number | null;
}

type CountRow = Database['daily_usage'];
type Counted = Omit<CountRow, 'digest' | 'messages' | 'parts'>;

/**
 * Counts messages for the days on which they were taken on, in the transaction that removes them: so each message is
 * there, or counted.
 */
export async function countRemoved(
  { kysely }: Connection,
  removed: readonly RemovedMessage[],
  calendar: Calendar,
): Promise<void> {
  const counts = new Map<string, CountRow>();
  for (const { id, channel, state, school, caller, parts, country } of removed) {
    const day = calendar.dayOf(timeOfMessageId(id));
    const counted: Counted = { day, channel, state, school, country, caller: caller ?? '' };
    const digest = digestOf(counted);
    const before = counts.get(digest) ?? { messages: 0, parts: 0 };
    counts.set(digest, {
      ...{ digest, ...counted },
      ...{ messages: before.messages + 1, parts: before.parts + (parts ?? 0) },
    });
  }
  if (counts.size === 0) return;
  await kysely
    .insertInto('daily_usage')
    // All in the same order, so that nobody waits for each other.
    .values([...counts.values()].sort((one, other) => (one.digest < other.digest ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.column('digest').doUpdateSet({
        messages: sql`daily_usage.messages + excluded.messages`,
        parts: sql`daily_usage.parts + excluded.parts`,
      }),
    )
    .execute();
}

function digestOf({ day, channel, state, school, country, caller }: Counted): string {
  const all = JSON.stringify([day, channel, state, school, country, caller]);
  return createHash('sha256').update(all).digest('base64url');
}
