import { hash } from 'node:crypto';

import { sql } from 'kysely';

import { timeOfMessageId } from '../../store';
import type { Database } from '../../store/statements';
import type { Feature } from '../feature';
import { COUNTED_COUNTRY, COUNTED_GATEWAY } from './daily-usage';

type CountRow = Database['daily_usage'];
type UsageGroup = Omit<CountRow, 'digest' | 'messages' | 'parts'>;

/**
 * Counts messages by the day of their acceptance, in the transaction that removes them, so that each message
 * either exists or is counted.
 */
export const countRemoved: Required<Feature>['countRemoved'] = async ({ engine, kysely }, ids, calendar) => {
  const removed = await kysely
    .selectFrom('messages')
    .select(['id', 'channel', 'state', 'school', 'caller', 'parts'])
    .select([COUNTED_COUNTRY.as('country'), COUNTED_GATEWAY.as('gateway')])
    .where('id', 'in', ids)
    // Another process that removes the same ones meanwhile waits here, and then counts none of them.
    .orderBy('id')
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .execute();
  const counts = new Map<string, CountRow>();
  for (const { id, channel, state, school, caller, parts, country, gateway } of removed) {
    const day = calendar.dayOf(timeOfMessageId(id));
    const counted: UsageGroup = { day, channel, state, school, country, gateway, caller: caller ?? '' };
    const digest = makeDigest(counted);
    const before = counts.get(digest) ?? { messages: 0, parts: 0 };
    counts.set(digest, {
      digest,
      ...counted,
      messages: before.messages + 1,
      parts: before.parts + (parts ?? 0),
    });
  }
  if (counts.size === 0) return;
  await kysely
    .insertInto('daily_usage')
    // The same order everywhere prevents deadlocks.
    .values([...counts.values()].sort((one, other) => (one.digest < other.digest ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.column('digest').doUpdateSet({
        messages: sql`daily_usage.messages + excluded.messages`,
        parts: sql`daily_usage.parts + excluded.parts`,
      }),
    )
    .execute();
};

function makeDigest({ day, channel, state, school, country, gateway, caller }: UsageGroup): string {
  const all = JSON.stringify([day, channel, state, school, country, gateway, caller]);
  return hash('sha256', all, 'base64url');
}
