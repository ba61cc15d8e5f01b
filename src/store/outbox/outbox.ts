import { type RawBuilder, sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { HotStatement, Param, SqlValue } from '../engine/hot-statement';
import type { EngineName } from '../engine/schema';
import { type MessageChannel, OF_CODES } from './channels';
import { type Reason, reasonColumns } from './reasons';
import { AWAITED } from './receipts';
import { type MessageState, readPayload, timeOfMessageId, type TraceContext, traceOf } from './messages';

/** What is kept of an attempt to deliver a message, beside what it made of the message. */
export interface NewAttempt {
  /** When it began, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** As it is called in settings and log; null where none was asked. */
  readonly provider: string | null;
  readonly outcome: string;
  /** Of the provider's answer over HTTP, where there was one. */
  readonly status: number | null;
  /** Why it was not sent. */
  readonly reason: Reason | null;
  /** How long the provider took; null where none was asked. */
  readonly milliseconds: number | null;
  /** As how many SMS the provider took it; null for everything else. */
  readonly parts: number | null;
}

/** An attempt as the operator sees it. */
export interface AttemptRecord extends NewAttempt {
  /** From 1, in the order in which they ended. */
  readonly number: number;
  /** The provider's id of what it took. */
  readonly providerId: string | null;
}

type KeptAttempt = Omit<AttemptRecord, 'number'>;

const UNKNOWN = {
  ...{ provider: null, status: null, providerId: null, reason: null, milliseconds: null, parts: null },
} as const satisfies Partial<KeptAttempt>;

/**
 * A line for the log of attempts that a message carries, in JSON without what is null. They stand in the message's own
 * row, since a table of their own made a delivery a seventh dearer: they are only read as a whole, with their message.
 */
function attemptLine(attempt: NewAttempt, providerId: string | null): string {
  const { at, provider, outcome, status, reason, milliseconds, parts } = attempt;
  return `${JSON.stringify({
    at,
    provider: provider ?? undefined,
    outcome,
    status: status ?? undefined,
    providerId: providerId ?? undefined,
    reason: reason ?? undefined,
    milliseconds: milliseconds ?? undefined,
    parts: parts ?? undefined,
  })}\n`;
}

/** The attempts of such a log, the first one first. */
export function readAttempts(log: string | null): readonly AttemptRecord[] {
  const lines = (log ?? '').split('\n').slice(0, -1);
  return lines.map((line, at) => ({
    number: at + 1,
    ...UNKNOWN,
    // Only this program writes the column, by the function above.
    ...(JSON.parse(line) as Pick<KeptAttempt, 'at' | 'outcome'> & Partial<KeptAttempt>),
  }));
}

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
  /** Whether the gateway will report what became of it. */
  readonly awaitsReceipt?: boolean;
  /** Name of the gateway for the next attempt; undefined leaves it unchanged. */
  readonly gateway?: string | undefined;
  /** Why it is not sent. */
  readonly reason: Reason | null;
  /** Whether a reason that an earlier attempt has left says more than this one. */
  readonly keepsReason?: boolean;
  readonly now: number;
  /** What is kept of the attempt; absent where nothing was tried. */
  readonly attempt?: NewAttempt;
}

/** Characters, some hundred attempts: of more, a message that waits for a provider for a day keeps the last one alone. */
const LONGEST_LOG = 16_000;

/**
 * Only under the lease with which the worker claimed it. The lease is asked for so that the index of leases does not
 * have it: PostgreSQL took that for each message, since few are leased at a time, and read what all the others had left
 * in it since the last vacuum, some 800 entries a message.
 */
const SETTLE: HotStatement<Settlement, readonly [id: string]> = {
  name: 'settle_message',
  kind: 'write',
  gathers: true,
  build: (_db, param, calls) => sql`update messages
    set state = ${param(({ state }) => state)},
      next_attempt_at = ${param.integer(({ nextAttemptAt }) => nextAttemptAt)},
      attempts = attempts - ${param.integer(({ attempted }) => (attempted ? 0 : 1))},
      payload = case when ${param.integer(({ erase }) => (erase ? 1 : 0))} = 1 then null else payload end,
      provider_id = ${param(({ providerId }) => providerId)},
      gateway = coalesce(${param(({ gateway }) => gateway ?? null)}, gateway),
      receipt = coalesce(${param(({ awaitsReceipt }) => (awaitsReceipt === true ? AWAITED : null))}, receipt),
      reason = case when ${param.integer(({ keepsReason }) => (keepsReason ? 1 : 0))} = 1 and reason is not null
        then reason else ${param(({ reason }) => reasonColumns(reason).reason)} end,
      reason_params = case when ${param.integer(({ keepsReason }) => (keepsReason ? 1 : 0))} = 1 and reason is not null
        then reason_params else ${param(({ reason }) => reasonColumns(reason).reason_params)} end,
      attempt_log = case when length(attempt_log) > ${sql.lit(LONGEST_LOG)} and ${param.integer(
        ({ state }) => (state === 'queued' ? 1 : 0),
      )} = 1 then attempt_log else coalesce(attempt_log, '') || ${param(({ attempt, providerId }) =>
        attempt === undefined ? '' : attemptLine(attempt, providerId),
      )} end,
      parts = coalesce(${param.integer(({ attempt }) => attempt?.parts ?? null)}, parts),
      updated_at = ${param.integer(({ now }) => now)}, lease_owner = null, lease_until = null
    ${calls.from}
    where id = ${param(({ id }) => id)} and lease_owner = ${param(({ owner }) => owner)}
      and case when state = 'sending' then lease_until end = ${param.integer(({ leaseUntil }) => leaseUntil)}
    returning id ${calls.at}`,
};

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
  /** How many workers have had it before and never recorded what came of it. */
  readonly abandoned: number;
  /** Name of the gateway to use; null before the first attempt. */
  readonly gateway: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly leaseUntil: number;
  /** Name of who asked for it; undefined where nobody is known. */
  readonly caller: string | undefined;
  /** Of a push message, the request that it was made of, where that is known. */
  readonly requestId?: string | undefined;
  /** What it is a part of elsewhere, where that is known. */
  readonly trace?: TraceContext | undefined;
}

interface Claim {
  readonly channel: MessageChannel;
  readonly owner: string;
  readonly limit: number;
  readonly now: number;
  readonly leaseUntil: number;
}

/** What is queued in a channel. */
export interface Backlog {
  readonly channel: MessageChannel;
  readonly messages: number;
  /** Milliseconds since 1970 UTC. */
  readonly oldestCreatedAt: number;
  /** When the first of them became due, or will; milliseconds since 1970 UTC. */
  readonly oldestDueAt: number;
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
  caller: string | null,
  requestId: string | null,
  abandoned: number | null,
  gateway: string | null,
];

/**
 * By engine, how a worker takes what no other is taking: on SQLite its transaction has the only write lock;
 * PostgreSQL passes over rows that are locked, and needs the array, since it may run a subquery of `in` more
 * than once and would lock other rows each time.
 */
const CLAIM: Readonly<Record<EngineName, HotStatement<Claim, ClaimedRow>>> = {
  sqlite: claim((due) => sql`in (${due})`),
  postgres: claim((due) => sql`= any(array(${due} for update skip locked))`),
};

/**
 * A value at which SQLite cannot look while it plans. Where a value could decide on the plan, as a limit could, or a
 * column to whose values an index is restricted, SQLite compiles the statement anew for each value, and that takes
 * five times as long as to run it.
 */
function unseen(value: RawBuilder<SqlValue>, type = sql`text`): RawBuilder<unknown> {
  return sql`cast(${value} as ${type})`;
}

function claim(isDue: (due: RawBuilder<unknown>) => RawBuilder<unknown>): HotStatement<Claim, ClaimedRow> {
  return {
    name: 'claim_messages',
    kind: 'write',
    build: (_db, param) => {
      const now = param.integer((claim) => claim.now);
      const due = sql`select id from messages
        where state = 'queued' and channel = ${unseen(param(({ channel }) => channel))}
          and next_attempt_at <= ${now}
        order by next_attempt_at, id limit ${unseen(
          param.integer(({ limit }) => limit),
          sql`integer`,
        )}`;
      return sql`update messages set state = 'sending', lease_owner = ${param(({ owner }) => owner)},
          lease_until = ${param.integer(({ leaseUntil }) => leaseUntil)}, updated_at = ${now}, attempts = attempts + 1
        where id ${isDue(due)}
        returning id, recipient, school, payload, dedupe_key, attempts, created_at, expires_at,
          caller, request_id, abandoned, gateway`;
    },
  };
}

interface Moment {
  readonly now: number;
}

/** Of a worker that died or hangs. */
const REQUEUE_ABANDONED = requeue<Moment>(
  'requeue_abandoned',
  (param) => sql`lease_until <= ${param.integer(({ now }) => now)}`,
  sql`abandoned = coalesce(abandoned, 0) + 1`,
);

const HAND_BACK = requeue<Moment & { readonly owner: string }>(
  'hand_back',
  (param) => sql`lease_owner = ${param(({ owner }) => owner)}`,
  sql`abandoned = abandoned`,
);

function requeue<Values extends Moment>(
  name: string,
  which: (param: Param<Values>) => RawBuilder<unknown>,
  also: RawBuilder<unknown>,
): HotStatement<Values, readonly [id: string]> {
  return {
    name,
    kind: 'write',
    build: (_db, param) => {
      const now = param.integer((values) => values.now);
      return sql`update messages set state = 'queued', next_attempt_at = ${now}, updated_at = ${now},
          lease_owner = null, lease_until = null, ${also}
        where state = 'sending' and ${which(param)} returning id`;
    },
  };
}

/** Codes alone: other messages may wait for long. */
const RELEASE_DELAYED_CODES: HotStatement<Moment & { readonly latest: number }, readonly [id: string]> = {
  name: 'release_delayed_codes',
  kind: 'write',
  build: (_db, param) => {
    const now = param.integer((values) => values.now);
    return sql`update messages set next_attempt_at = ${now}, expires_at = ${now} + expires_at - created_at
      where state = 'queued' and ${OF_CODES} and next_attempt_at > ${param.integer(({ latest }) => latest)}
      returning id`;
  },
};

/** From an index alone; an id tells when it was made. */
const BACKLOG: HotStatement<
  undefined,
  readonly [channel: string, messages: number, oldest: string, due: number]
> = {
  name: 'backlog',
  kind: 'read',
  build: (db) =>
    db
      .selectFrom('messages')
      .select(({ fn }) => [
        'channel',
        fn.countAll<number>().as('messages'),
        fn.min('id').as('oldest'),
        fn.min('next_attempt_at').as('due'),
      ])
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
  async claim(claim: Claim): Promise<readonly ClaimedMessage[]> {
    const rows = await this.#connection.rows(CLAIM[this.#connection.engine], claim);
    return rows.map(
      ([
        id,
        recipient,
        school,
        text,
        dedupeKey,
        attempts,
        createdAt,
        expiresAt,
        caller,
        requestId,
        abandoned,
        gateway,
      ]) => {
        const payload = readPayload(text);
        const trace = traceOf(payload);
        return {
          id,
          recipient,
          school,
          payload,
          dedupeKey,
          attempts,
          abandoned: abandoned ?? 0,
          gateway,
          createdAt,
          expiresAt,
          leaseUntil: claim.leaseUntil,
          caller: caller ?? undefined,
          requestId: requestId ?? undefined,
          ...(trace && { trace }),
        };
      },
    );
  }

  /** @returns false where the lease was lost to another worker; then nothing is changed */
  async settle(settlement: Settlement): Promise<boolean> {
    const rows = await this.#connection.rows(SETTLE, settlement);
    return rows.length === 1;
  }

  /** Queues again what a worker left behind whose lease ran out. */
  async requeueAbandoned(now: number): Promise<number> {
    return (await this.#connection.rows(REQUEUE_ABANDONED, { now })).length;
  }

  /** Queues again what this worker still has leased, so that another need not wait for the lease to run out. */
  async handBack(owner: string, now: number): Promise<number> {
    return (await this.#connection.rows(HAND_BACK, { now, owner })).length;
  }

  /**
   * Makes codes due that are to wait longer than a code lives: they were taken on before the clock was put back.
   *
   * @param longestWaitMs - no code is to wait for so long
   * @returns how many
   */
  async releaseDelayedCodes(now: number, longestWaitMs: number): Promise<number> {
    const latest = now + longestWaitMs;
    return (await this.#connection.rows(RELEASE_DELAYED_CODES, { now, latest })).length;
  }

  /** What is queued in each channel where something is. */
  async backlog(): Promise<readonly Backlog[]> {
    const rows = await this.#connection.rows(BACKLOG, undefined);
    return rows.map(([channel, messages, oldest, due]) => ({
      // Only this program writes the column, from this type.
      channel: channel as MessageChannel,
      messages,
      oldestCreatedAt: timeOfMessageId(oldest),
      oldestDueAt: due,
    }));
  }
}
