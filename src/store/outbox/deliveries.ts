import { type SelectQueryBuilder, sql } from 'kysely';

import type { Connection, Database, Engine } from '../engine';
import { type AttemptRecord, attemptsOf } from './attempts';
import { type MessageChannel, type MessageState, NOTE_LIFETIME_MS } from './messages';

/** Which messages the operator means; what is absent does not matter. */
export interface DeliveryFilter {
  readonly ids?: readonly string[];
  readonly channel?: MessageChannel;
  readonly state?: MessageState;
  /** Canonical URL. */
  readonly school?: string;
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
}

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
    }));
  }

  /** Every attempt to deliver a message, the first one first. */
  attemptsOf(id: string): Promise<readonly AttemptRecord[]> {
    return attemptsOf(this.#engine.direct, id);
  }

  /**
   * Queues again what has come to an end without being sent. A code is sent within its lifetime or not at all:
   * after that nobody waits for it, and it is erased.
   *
   * @returns how many messages
   */
  retry(filter: DeliveryFilter, now: number): Promise<number> {
    return this.#engine.write(async (connection) => {
      const { numUpdatedRows } = await connection.kysely
        .updateTable('messages')
        .set({
          state: 'queued',
          attempts: 0,
          next_attempt_at: now,
          expires_at: sql`case when expires_at > ${now} then expires_at else ${now + NOTE_LIFETIME_MS} end`,
          last_error: null,
          updated_at: now,
        })
        .where('id', 'in', matching(connection, filter).select('id'))
        .where('state', 'in', ['failed', 'expired', 'suppressed'])
        .where('payload', 'is not', null)
        .where((where) => where.or([where('channel', '<>', 'sms'), where('expires_at', '>', now)]))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    });
  }

  /**
   * Takes messages that wait out of the queue. One that is just being sent stays.
   *
   * @returns how many messages
   */
  cancel(filter: DeliveryFilter, now: number): Promise<number> {
    return this.#engine.write(async (connection) => {
      const { numUpdatedRows } = await connection.kysely
        .updateTable('messages')
        .set({
          state: 'suppressed',
          payload: sql`case channel when 'sms' then null else payload end`,
          last_error: 'The operator cancelled it.',
          updated_at: now,
        })
        .where('id', 'in', matching(connection, filter).select('id'))
        .where('state', '=', 'queued')
        .executeTakeFirst();
      return Number(numUpdatedRows);
    });
  }
}

function matching(
  { kysely }: Connection,
  { ids, channel, state, school, createdBefore, createdAfter }: DeliveryFilter,
): SelectQueryBuilder<Database, 'messages', object> {
  let query: SelectQueryBuilder<Database, 'messages', object> = kysely.selectFrom('messages');
  if (ids !== undefined) query = query.where('id', 'in', ids);
  if (channel !== undefined) query = query.where('channel', '=', channel);
  if (state !== undefined) query = query.where('state', '=', state);
  // The first condition is that of the index, which holds the beginnings of long URLs alone.
  if (school !== undefined) {
    query = query.where(sql`substr(school, 1, 200)`, '=', school.slice(0, 200)).where('school', '=', school);
  }
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore);
  if (createdAfter !== undefined) query = query.where('created_at', '>', createdAfter);
  return query;
}
