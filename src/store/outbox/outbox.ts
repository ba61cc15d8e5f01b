import { type RawBuilder, sql } from 'kysely';

import type { Connection, EngineName, HotStatement } from '../engine/engine';
import { timeOfMessageId } from './message-id';
import { type MessageChannel, type MessageState, readPayload } from './messages';

/** A message that a worker has leased: until then nobody else delivers it. */
export interface ClaimedMessage {
  readonly id: string;
  readonly recipient: string;
  readonly school: string;
  /** Null once it is erased. */
  readonly payload: Readonly<Record<string, string>> | null;
  readonly dedupeKey: string | null;
  /** This one included. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly leaseUntil: number;
}

export interface Claim {
  readonly channel: MessageChannel;
  readonly owner: string;
  readonly limit: number;
  readonly now: number;
  readonly leaseUntil: number;
}

/** What became of a leased message. */
export interface Settlement {
  readonly id: string;
  readonly owner: string;
  readonly state: Exclude<MessageState, 'sending'>;
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
}

/** What is queued in a channel. */
export interface Backlog {
  readonly channel: MessageChannel;
  readonly messages: number;
  /** Milliseconds since 1970 UTC. */
  readonly oldestCreatedAt: number;
}

type ClaimedRow = readonly [
  id: string,
  recipient: string,
  school: string,
  payload: string | null,
  dedupeKey: string | null,
  attempts: number,
  createdAt: number,
  expiresAt: number,
];

// Placeholders: channel, now, limit.
const DUE = sql`select id from messages where state = 'queued' and channel = ${''} and next_attempt_at <= ${0}
  order by next_attempt_at, id limit ${0}`;

/**
 * By engine, how a worker takes what no other is taking: on SQLite its transaction has the only write lock;
 * PostgreSQL passes over rows that are locked, and needs the array, since it may run a subquery of `in` more
 * than once and would lock other rows each time.
 */
const CLAIM: Readonly<Record<EngineName, HotStatement<ClaimedRow>>> = {
  sqlite: claim(sql`in (${DUE})`),
  postgres: claim(sql`= any(array(${DUE} for update skip locked))`),
};

/** Placeholders: owner, end of the lease, now, and those of DUE. */
function claim(isDue: RawBuilder<unknown>): HotStatement<ClaimedRow> {
  return {
    name: 'claim_messages',
    kind: 'write',
    build: (db) => ({
      compile: () =>
        sql`update messages set state = 'sending', lease_owner = ${''}, lease_until = ${0}, updated_at = ${0},
            attempts = attempts + 1
          where id ${isDue}
          returning id, recipient, school, payload, dedupe_key, attempts, created_at, expires_at`.compile(db),
    }),
  };
}

/** Only for the worker that still holds the lease. */
const SETTLE: HotStatement<readonly [id: string]> = {
  name: 'settle_message',
  kind: 'write',
  build: (db) =>
    db
      .updateTable('messages')
      .set({
        state: '',
        next_attempt_at: 0,
        attempts: sql`attempts - ${0}`,
        payload: sql`case when ${0} = 1 then null else payload end`,
        provider_id: '',
        last_error: '',
        updated_at: 0,
        lease_owner: sql.lit(null),
        lease_until: sql.lit(null),
      })
      .where('id', '=', '')
      .where('lease_owner', '=', '')
      .where('state', '=', sql.lit('sending'))
      .returning('id'),
};

/** Of a worker that died or hangs. Placeholders: now, now, now. */
const REQUEUE_ABANDONED: HotStatement<readonly [id: string]> = requeue(
  'requeue_abandoned',
  sql`lease_until <= ${0}`,
);

/** Placeholders: now, now, owner. */
const HAND_BACK: HotStatement<readonly [id: string]> = requeue('hand_back', sql`lease_owner = ${''}`);

function requeue(name: string, which: RawBuilder<unknown>): HotStatement<readonly [id: string]> {
  return {
    name,
    kind: 'write',
    build: (db) => ({
      compile: () =>
        sql`update messages set state = 'queued', next_attempt_at = ${0}, updated_at = ${0},
            lease_owner = null, lease_until = null
          where state = 'sending' and ${which} returning id`.compile(db),
    }),
  };
}

/** Placeholders: now, now, moment. Codes alone: other messages may wait for long. */
const CALL_BACK: HotStatement<readonly [id: string]> = {
  name: 'call_back_codes',
  kind: 'write',
  build: (db) => ({
    compile: () =>
      sql`update messages set next_attempt_at = ${0}, expires_at = ${0} + expires_at - created_at
        where state = 'queued' and channel = 'sms' and next_attempt_at > ${0} returning id`.compile(db),
  }),
};

/** From an index alone; an id tells when it was made. */
const BACKLOG: HotStatement<readonly [channel: string, messages: number, oldest: string]> = {
  name: 'backlog',
  kind: 'read',
  build: (db) =>
    db
      .selectFrom('messages')
      .select(({ fn }) => ['channel', fn.countAll<number>().as('messages'), fn.min('id').as('oldest')])
      .where('state', '=', sql.lit('queued'))
      .groupBy('channel'),
};

/** The worker's side of the outbox. */
export class Outbox {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Leases what is due in a channel, the longest due first; no two workers get the same message. */
  async claim({ channel, owner, limit, now, leaseUntil }: Claim): Promise<readonly ClaimedMessage[]> {
    const values = [owner, leaseUntil, now, channel, now, limit];
    const rows = await this.#connection.rows(CLAIM[this.#connection.engine], values);
    return rows.map(
      ([id, recipient, school, payload, dedupeKey, attempts, createdAt, expiresAt]): ClaimedMessage => ({
        id,
        recipient,
        school,
        payload: readPayload(payload),
        dedupeKey,
        attempts,
        createdAt,
        expiresAt,
        leaseUntil,
      }),
    );
  }

  /** @returns false where the lease was lost to another worker; then nothing is changed */
  async settle(settlement: Settlement): Promise<boolean> {
    const { id, owner, state, nextAttemptAt, attempted, erase, providerId, reason, now } = settlement;
    const countedBack = attempted ? 0 : 1;
    const rows = await this.#connection.rows(SETTLE, [
      ...[state, nextAttemptAt, countedBack, erase ? 1 : 0, providerId, reason, now],
      ...[id, owner],
    ]);
    return rows.length === 1;
  }

  /** Queues again what a worker left behind whose lease ran out. */
  async requeueAbandoned(now: number): Promise<number> {
    return (await this.#connection.rows(REQUEUE_ABANDONED, [now, now, now])).length;
  }

  /** Queues again what this worker still has leased, so that another need not wait for the lease to run out. */
  async handBack(owner: string, now: number): Promise<number> {
    return (await this.#connection.rows(HAND_BACK, [now, now, owner])).length;
  }

  /**
   * Makes codes due that are to wait longer than a code lives: they were taken on before the clock was put back.
   *
   * @param longestWaitMs - no code is to wait for so long
   * @returns how many
   */
  async callBackCodes(now: number, longestWaitMs: number): Promise<number> {
    return (await this.#connection.rows(CALL_BACK, [now, now, now + longestWaitMs])).length;
  }

  /** What is queued in each channel where something is. */
  async backlog(): Promise<readonly Backlog[]> {
    const rows = await this.#connection.rows(BACKLOG, []);
    return rows.map(([channel, messages, oldest]) => ({
      // Only this program writes the column, from this type.
      channel: channel as MessageChannel,
      messages,
      oldestCreatedAt: timeOfMessageId(oldest),
    }));
  }
}
