import { type SelectQueryBuilder, sql } from 'kysely';

import { type Connection, type Database, type Engine, takeLock } from '../engine';
import { type AttemptRecord, readAttempts } from './attempts';
import { type MessageChannel, type MessageState, NOTE_LIFETIME_MS } from './messages';
import { countPushes, type PushCount, REQUEST_ENDS } from './request-ends';

/** Which messages the operator means; what is absent does not matter. */
export interface DeliveryFilter {
  readonly ids?: readonly string[];
  readonly channel?: MessageChannel;
  readonly state?: MessageState;
  /** Canonical URL. */
  readonly school?: string;
  /** Push messages that were made of this request. */
  readonly request?: string;
  /** Milliseconds since 1970 UTC. */
  readonly createdBefore?: number;
  readonly createdAfter?: number;
}

/** A message as the operator sees it. Points in time are milliseconds since 1970 UTC. */
export interface DeliveryRecord {
  readonly id: string;
  readonly channel: MessageChannel;
  readonly state: MessageState;
  readonly recipient: string;
  readonly school: string;
  readonly attempts: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextAttemptAt: number;
  readonly expiresAt: number;
  readonly providerId: string | null;
  readonly reason: string | null;
  /** Name of who asked for it; null where nobody is known. */
  readonly caller: string | null;
  /** Of a push message, the request that it was made of; null where that is not known. */
  readonly requestId: string | null;
  /** Of a request of which push messages were made, how many students of the class there was none for. */
  readonly withoutDevice: number | null;
}

/** What has come to an end, and may be tried again. */
const ENDED_UNSENT = ['failed', 'expired', 'suppressed'] as const satisfies readonly MessageState[];
/** Requests that one statement opens again. */
const CHUNK = 500;

/** The operator's side of the outbox. */
export class Deliveries {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The newest first. */
  async list(filter: DeliveryFilter, limit: number): Promise<readonly DeliveryRecord[]> {
    const rows = await matching(this.#engine.direct, filter)
      .select(['id', 'channel', 'state', 'recipient', 'school', 'attempts', 'provider_id', 'last_error'])
      .select(['created_at', 'updated_at', 'next_attempt_at', 'expires_at', 'caller'])
      .select(['request_id', 'without_device'])
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      // Only this program writes these two columns, from these types.
      channel: row.channel as MessageChannel,
      state: row.state as MessageState,
      recipient: row.recipient,
      school: row.school,
      attempts: row.attempts,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      nextAttemptAt: row.next_attempt_at,
      expiresAt: row.expires_at,
      providerId: row.provider_id,
      reason: row.last_error,
      caller: row.caller,
      requestId: row.request_id,
      withoutDevice: row.without_device,
    }));
  }

  /** What became of the push messages of a request so far, the largest number first. */
  pushCounts(request: string): Promise<readonly PushCount[]> {
    return countPushes(this.#engine.direct, request);
  }

  /** Every attempt to deliver a message, the first one first. */
  async attemptsOf(id: string): Promise<readonly AttemptRecord[]> {
    const row = await this.#engine.direct.kysely
      .selectFrom('messages')
      .select('attempt_log')
      .where('id', '=', id)
      .executeTakeFirst();
    return readAttempts(row?.attempt_log ?? null);
  }

  /**
   * Queues again what has come to an end without being sent. A code is sent within its lifetime or not at all:
   * after that nobody waits for it, and it is erased. Of a request that push messages were made of, those are queued
   * that did not go, and it has no end again; without any, it is resolved anew.
   *
   * @returns how many messages
   */
  retry(filter: DeliveryFilter, now: number): Promise<number> {
    return this.#engine.write(async (connection) => {
      const { kysely, engine } = connection;
      await takeLock(kysely, engine, [REQUEST_ENDS]);
      const queueAgain = kysely
        .updateTable('messages')
        .set({
          state: 'queued',
          attempts: 0,
          next_attempt_at: now,
          expires_at: sql`case when expires_at > ${now} then expires_at else ${now + NOTE_LIFETIME_MS} end`,
          last_error: null,
          updated_at: now,
          resolved_at: null,
          without_device: null,
        })
        .where('state', 'in', ENDED_UNSENT)
        .where('payload', 'is not', null)
        .returning('request_id');
      const named = await queueAgain
        .where('id', 'in', matching(connection, filter).select('id'))
        .where((where) => where.or([where('channel', '<>', 'sms'), where('expires_at', '>', now)]))
        .where((where) =>
          where.or([
            where('resolved_at', 'is', null),
            where.not(
              where.exists(
                where
                  .selectFrom('messages as push')
                  .select('push.id')
                  .whereRef('push.request_id', '=', 'messages.id'),
              ),
            ),
          ]),
        )
        .execute();
      const ofRequests = await queueAgain
        .where('request_id', 'in', resolvedRequests(connection, filter))
        .execute();
      const all = [...named, ...ofRequests];
      await reopen(
        connection,
        all.flatMap(({ request_id }) => request_id ?? []),
        now,
      );
      return all.length;
    });
  }

  /**
   * Takes messages that wait out of the queue, those of requests among them. One that is just being sent stays.
   *
   * @returns how many messages
   */
  cancel(filter: DeliveryFilter, now: number): Promise<number> {
    return this.#engine.write(async (connection) => {
      const takeOut = connection.kysely
        .updateTable('messages')
        .set({
          state: 'suppressed',
          payload: sql`case channel when 'sms' then null else payload end`,
          last_error: 'The operator cancelled it.',
          updated_at: now,
        })
        .where('state', '=', 'queued');
      const results = [
        await takeOut.where('id', 'in', matching(connection, filter).select('id')).executeTakeFirst(),
        await takeOut.where('request_id', 'in', resolvedRequests(connection, filter)).executeTakeFirst(),
      ];
      return results.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
    });
  }
}

/** The requests among those that are meant of which push messages were made. */
function resolvedRequests(connection: Connection, filter: DeliveryFilter) {
  return matching(connection, filter)
    .select('id')
    .where('channel', '=', 'mark')
    .where('resolved_at', 'is not', null);
}

/** Takes requests for not ended: some of their push messages are to be sent again. */
async function reopen({ kysely }: Connection, requests: readonly string[], now: number): Promise<void> {
  const ids = [...new Set(requests)];
  for (let at = 0; at < ids.length; at += CHUNK) {
    await kysely
      .updateTable('messages')
      .set({ state: 'open', last_error: null, updated_at: now })
      .where('id', 'in', ids.slice(at, at + CHUNK))
      .where('resolved_at', 'is not', null)
      .execute();
  }
}

function matching(
  { kysely }: Connection,
  { ids, channel, state, school, request, createdBefore, createdAfter }: DeliveryFilter,
): SelectQueryBuilder<Database, 'messages', object> {
  let query: SelectQueryBuilder<Database, 'messages', object> = kysely.selectFrom('messages');
  if (ids !== undefined) query = query.where('id', 'in', ids);
  if (channel !== undefined) query = query.where('channel', '=', channel);
  if (state !== undefined) query = query.where('state', '=', state);
  if (request !== undefined) query = query.where('request_id', '=', request);
  // The first condition is that of the index, which holds the beginnings of long URLs alone.
  if (school !== undefined) {
    query = query.where(sql`substr(school, 1, 200)`, '=', school.slice(0, 200)).where('school', '=', school);
  }
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore);
  if (createdAfter !== undefined) query = query.where('created_at', '>', createdAfter);
  return query;
}
