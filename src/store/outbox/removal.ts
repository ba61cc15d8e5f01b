import { sql } from 'kysely';

import { ALL_FEATURES } from '../../features/feature';
import { type Connection, takeLock } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { ENDED_STATES, firstMessageId, type MessageState } from './messages';
import { REQUEST_ENDS } from './request-ends';
import type { Calendar } from '../../support/calendar';

/** Number of messages that one step examines: on SQLite others wait meanwhile, for some milliseconds. */
export const REMOVAL_STEP = 250;

export interface RemovalStep {
  readonly removed: number;
  /** Last message examined, after which the next step begins; undefined if none is left. */
  readonly last: string | undefined;
}

/**
 * Lists the oldest messages by primary key, and whether each may be removed: a message that ended before the
 * moment, a push message whose request did, and a request without any push messages left.
 */
const OLD_MESSAGES = hotRead<
  { readonly after: string; readonly until: string; readonly endedBefore: number },
  readonly [id: string, mayGo: number]
>('old_messages', (param) => {
  const ended = sql.join(ENDED_STATES.map((state) => sql.lit(state)));
  const endedBefore = () => param.integer((values) => values.endedBefore);
  return sql`select id, case when state in (${ended}) and updated_at < ${endedBefore()}
          and (channel <> 'mark' or not exists (
            select 1 from messages as push where push.request_id = old.id))
          and (request_id is null or not exists (
            select 1 from messages as request where request.id = old.request_id
              and (request.state not in (${ended}) or request.updated_at >= ${endedBefore()})))
        then 1 else 0 end
      from messages as old
      where id > ${param(({ after }) => after)} and id < ${param(({ until }) => until)}
      order by id limit ${sql.lit(REMOVAL_STEP)}`;
});

/**
 * Removes messages in a final state, in a transaction that holds the lock on ends of requests, so that none
 * is retried meanwhile. Features may keep counts of them. Nothing else in the program deletes messages.
 *
 * @param calendar - determines the day under which each one is counted
 * @returns the number of messages
 */
export async function removeMessages(
  connection: Connection,
  ids: readonly string[],
  calendar: Calendar,
): Promise<number> {
  if (ids.length === 0) return 0;
  for (const { countRemoved } of ALL_FEATURES) await countRemoved?.(connection, ids, calendar);
  const { numDeletedRows } = await connection.kysely
    .deleteFrom('messages')
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * Examines the next of the oldest messages, in a transaction, and removes each that ended before a moment. A
 * request and its push messages go together: the push messages when all of them and the request have ended by
 * then, and the request in the next step.
 *
 * @param after - last message examined, empty at first
 * @param endedBefore - milliseconds since 1970 UTC
 * @param calendar - determines the day under which each one is counted
 */
export async function removeEnded(
  connection: Connection,
  after: string,
  endedBefore: number,
  calendar: Calendar,
): Promise<RemovalStep> {
  await takeLock(connection.kysely, connection.engine, [REQUEST_ENDS]);
  // Messages created later cannot have ended earlier.
  const until = firstMessageId(endedBefore);
  const rows = await connection.rows(OLD_MESSAGES, { after, until, endedBefore });
  const ids = rows.filter(([, mayGo]) => mayGo === 1).map(([id]) => id);
  const removed = await removeMessages(connection, ids, calendar);
  return { removed, last: rows.length < REMOVAL_STEP ? undefined : rows.at(-1)?.[0] };
}

/**
 * Removes messages in any state, in a transaction: waiting ones are cancelled first, those being sent stay.
 *
 * @returns the number of messages removed or to be removed, how many of them are cancelled, and how many stay
 */
export async function removeOfPerson(
  connection: Connection,
  ids: readonly string[],
  { dryRun, now, calendar }: { readonly dryRun: boolean; readonly now: number; readonly calendar: Calendar },
): Promise<{ readonly messages: number; readonly cancelled: number; readonly sending: number }> {
  const { kysely, engine } = connection;
  await takeLock(kysely, engine, [REQUEST_ENDS]);
  const idsIn = async (...states: readonly MessageState[]) => {
    const rows = await kysely
      .selectFrom('messages')
      .select('id')
      .where('id', 'in', ids)
      .where('state', 'in', states)
      .execute();
    return rows.map(({ id }) => id);
  };
  if (dryRun) {
    const [queued, sending] = [await idsIn('queued'), await idsIn('sending')];
    return { messages: ids.length - sending.length, cancelled: queued.length, sending: sending.length };
  }
  // This comes first: from here on no worker claims them.
  const { numUpdatedRows } = await kysely
    .updateTable('messages')
    .set({ state: 'suppressed' satisfies MessageState, updated_at: now })
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  const messages = await removeMessages(connection, await idsIn(...ENDED_STATES), calendar);
  const sending = await idsIn('sending');
  return { messages, cancelled: Number(numUpdatedRows), sending: sending.length };
}
