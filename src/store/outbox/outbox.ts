import { type RawBuilder, sql } from 'kysely';

import { Repository } from '../engine/engine';
import { hotRead, type HotStatement, hotWrite, type Param, type SqlValue } from '../engine/hot-statement';
import type { EngineName } from '../engine/schema';
import { type MessageChannel, OF_CODES } from './channels';
import { type Reason, reasonColumns } from './reasons';
import { AWAITED } from './receipt-states';
import { type MessageState, readPayload, timeOfMessageId, type TraceContext, readTrace } from './messages';

/** Record of a delivery attempt, without its effect on the message. */
export interface NewAttempt {
  /** Start of the attempt, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Name as in settings and log; null if no provider was called. */
  readonly provider: string | null;
  readonly outcome: string;
  /** HTTP status of the provider's answer, if any. */
  readonly status: number | null;
  /** Reason why it was not sent. */
  readonly reason: Reason | null;
  /** Duration of the provider's call; null if no provider was called. */
  readonly milliseconds: number | null;
  /** Number of SMS parts that the provider reported; null for everything else. */
  readonly parts: number | null;
}

/** A delivery attempt for the operator. */
export interface AttemptRecord extends NewAttempt {
  /** Counted from 1, in the order in which they ended. */
  readonly number: number;
  /** The provider's id of the accepted message. */
  readonly providerId: string | null;
}

type LoggedAttempt = Omit<AttemptRecord, 'number'>;

const UNKNOWN = {
  ...{ provider: null, status: null, providerId: null, reason: null, milliseconds: null, parts: null },
} as const satisfies Partial<LoggedAttempt>;

/**
 * Returns a line for the attempt log of a message, in JSON without nulls. The log is part of the message's
 * own row, because a separate table made a delivery a seventh more expensive: attempts are only read all
 * together, with their message.
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

export function readAttempts(log: string | null): readonly AttemptRecord[] {
  const lines = (log ?? '').split('\n').slice(0, -1);
  return lines.map((line, at) => ({
    number: at + 1,
    ...UNKNOWN,
    // Only this program writes the column, by the function above.
    ...(JSON.parse(line) as Pick<LoggedAttempt, 'at' | 'outcome'> & Partial<LoggedAttempt>),
  }));
}

/** Outcome for a leased message. */
export interface Settlement {
  readonly id: string;
  readonly owner: string;
  /** End of the lease under which the worker claimed it: the worker may have lost it and leased it again. */
  readonly leaseUntil: number;
  readonly state: Exclude<MessageState, 'sending' | 'partly'>;
  /** Time of the next attempt, if the state is `queued`. */
  readonly nextAttemptAt: number;
  readonly attempted: boolean;
  readonly erase: boolean;
  readonly providerId: string | null;
  /** True if the gateway will send a delivery receipt. */
  readonly awaitsReceipt?: boolean;
  /** Name of the gateway for the next attempt; undefined leaves it unchanged. */
  readonly gateway?: string | undefined;
  /** Reason why it is not sent. */
  readonly reason: Reason | null;
  /** True if the reason of an earlier attempt is more informative than this one. */
  readonly keepsReason?: boolean;
  readonly now: number;
  /** Record of the attempt; absent if nothing was tried. */
  readonly attempt?: NewAttempt;
}

/**
 * Maximum length of the log, in characters, about a hundred attempts: a message that waits for a provider for
 * a day keeps only its last attempt beyond that.
 */
const LONGEST_LOG = 16_000;

/**
 * Settles only under the lease with which the worker claimed the message. The lease is compared in a way that
 * the index of leases does not match: PostgreSQL used it for each message, since few are leased at a time,
 * and read all dead entries since the last vacuum, some 800 per message.
 */
const SETTLE = hotWrite<Settlement, readonly [id: string]>(
  'settle_message',
  (param, calls) => sql`update messages
    set state = ${param(({ state }) => state)},
      next_attempt_at = ${param.integer(({ nextAttemptAt }) => nextAttemptAt)},
      attempts = attempts - ${param.integer(({ attempted }) => (attempted ? 0 : 1))},
      payload = case when ${param.integer(({ erase }) => (erase ? 1 : 0))} = 1 then null else payload end,
      provider_id = ${param(({ providerId }) => providerId)},
      gateway = coalesce(${param(({ gateway }) => gateway ?? null)}, gateway),
      receipt = coalesce(${param(({ awaitsReceipt }) => (awaitsReceipt === true ? AWAITED : null))}, receipt),
      reason = case when ${param.integer(({ keepsReason }) => (keepsReason ? 1 : 0))} = 1
        and reason is not null
        then reason else ${param(({ reason }) => reasonColumns(reason).reason)} end,
      reason_params = case when ${param.integer(({ keepsReason }) => (keepsReason ? 1 : 0))} = 1
        and reason is not null
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
  { gathers: true },
);

/** A leased message: no one else delivers it until the lease ends. */
export interface ClaimedMessage {
  readonly id: string;
  readonly recipient: string;
  readonly school: string;
  /** Null once erased. */
  readonly payload: Readonly<Record<string, string>> | null;
  readonly dedupeKey: string | null;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** Number of earlier workers that never recorded an outcome. */
  readonly abandoned: number;
  /** Name of the gateway to use; null before the first attempt. */
  readonly gateway: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly leaseUntil: number;
  /** Name of the caller; undefined for an unknown caller. */
  readonly caller: string | undefined;
  /** Request from which a push message was made, if known. */
  readonly requestId?: string | undefined;
  readonly trace?: TraceContext | undefined;
}

interface Claim {
  readonly channel: MessageChannel;
  readonly owner: string;
  readonly limit: number;
  readonly now: number;
  readonly leaseUntil: number;
  /** True to claim only messages whose lifetime is over; default: false. */
  readonly expired?: boolean;
}

export interface Backlog {
  readonly channel: MessageChannel;
  readonly messages: number;
  /** Milliseconds since 1970 UTC. */
  readonly oldestCreatedAt: number;
  /** Due time of the first message, past or future; milliseconds since 1970 UTC. */
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
 * Claims messages that no other worker is claiming. On SQLite the transaction has the only write lock;
 * PostgreSQL skips locked rows, and needs the array, because it may run a subquery of `in` more than once and
 * would lock other rows each time.
 */
const CLAIM = claims('claim_messages', () => sql``);

/** Every expired message is due, because none waits beyond its end. */
const CLAIM_EXPIRED = claims(
  'claim_expired',
  (param) => sql`and expires_at <= ${param.integer(({ now }) => now)}`,
);

function claims(
  name: string,
  condition: (param: Param<Claim>) => RawBuilder<unknown>,
): Readonly<Record<EngineName, HotStatement<Claim, ClaimedRow>>> {
  return {
    sqlite: claim(name, condition, (due) => sql`in (${due})`),
    postgres: claim(name, condition, (due) => sql`= any(array(${due} for update skip locked))`),
  };
}

/**
 * A value that SQLite cannot see while planning. If a value may influence the plan, such as a limit or a
 * column on whose values an index is partial, SQLite recompiles the statement for each value, which takes
 * five times as long as running it.
 */
function unseen(value: RawBuilder<SqlValue>, type = sql`text`): RawBuilder<unknown> {
  return sql`cast(${value} as ${type})`;
}

function claim(
  name: string,
  condition: (param: Param<Claim>) => RawBuilder<unknown>,
  isDue: (due: RawBuilder<unknown>) => RawBuilder<unknown>,
): HotStatement<Claim, ClaimedRow> {
  return hotWrite(name, (param) => {
    const now = param.integer((claim) => claim.now);
    const due = sql`select id from messages
        where state = 'queued' and channel = ${unseen(param(({ channel }) => channel))}
          and next_attempt_at <= ${now} ${condition(param)}
        order by next_attempt_at, id limit ${unseen(
          param.integer(({ limit }) => limit),
          sql`integer`,
        )}`;
    return sql`update messages set state = 'sending', lease_owner = ${param(({ owner }) => owner)},
          lease_until = ${param.integer(({ leaseUntil }) => leaseUntil)}, updated_at = ${now},
          attempts = attempts + 1
        where id ${isDue(due)}
        returning id, recipient, school, payload, dedupe_key, attempts, created_at, expires_at,
          caller, request_id, abandoned, gateway`;
  });
}

interface Moment {
  readonly now: number;
}

/** Applies to workers that died or hang. */
const REQUEUE_ABANDONED = requeue<Moment>(
  'requeue_abandoned',
  (param) => sql`lease_until <= ${param.integer(({ now }) => now)}`,
);

/** Applies to a worker that stops without the outcome of some messages: a gateway may have them. */
const RELEASE_CLAIMS = requeue<Moment & { readonly owner: string }>(
  'release_claims',
  (param) => sql`lease_owner = ${param(({ owner }) => owner)}`,
);

function requeue<Values extends Moment>(
  name: string,
  which: (param: Param<Values>) => RawBuilder<unknown>,
): HotStatement<Values, readonly [id: string]> {
  return hotWrite(name, (param) => {
    const now = param.integer((values) => values.now);
    return sql`update messages set state = 'queued', next_attempt_at = ${now}, updated_at = ${now},
          lease_owner = null, lease_until = null,
          abandoned = coalesce(abandoned, 0) + 1
        where state = 'sending' and ${which(param)} returning id`;
  });
}

/** Applies to codes only: other messages may wait for long. */
const RELEASE_DELAYED_CODES = hotWrite<Moment & { readonly latest: number }, readonly [id: string]>(
  'release_delayed_codes',
  (param) => {
    const now = param.integer((values) => values.now);
    return sql`update messages set next_attempt_at = ${now}, expires_at = ${now} + expires_at - created_at
      where state = 'queued' and ${OF_CODES} and next_attempt_at > ${param.integer(({ latest }) => latest)}
      returning id`;
  },
);

/** Reads an index only; the creation time comes from the id. */
const BACKLOG = hotRead<undefined, readonly [channel: string, messages: number, oldest: string, due: number]>(
  'backlog',
  () => sql`select channel, count(*), min(id), min(next_attempt_at) from messages
    where state = 'queued' group by channel`,
);

/** The outbox from the worker's side. */
export class Outbox extends Repository {
  /** Leases due messages of a channel, the longest due first; no two workers get the same message. */
  async claim(claim: Claim): Promise<readonly ClaimedMessage[]> {
    const rows = await this.connection.rows(
      (claim.expired === true ? CLAIM_EXPIRED : CLAIM)[this.connection.engine],
      claim,
    );
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
        const trace = readTrace(payload);
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

  /** @returns false if the lease was lost to another worker; then nothing is changed */
  async settle(settlement: Settlement): Promise<boolean> {
    const rows = await this.connection.rows(SETTLE, settlement);
    return rows.length === 1;
  }

  /** Queues messages again whose worker let the lease expire. */
  async requeueAbandoned(now: number): Promise<number> {
    return (await this.connection.rows(REQUEUE_ABANDONED, { now })).length;
  }

  /**
   * Releases the messages that this worker has leased, so that others need not wait for the leases to expire.
   */
  async release(owner: string, now: number): Promise<number> {
    return (await this.connection.rows(RELEASE_CLAIMS, { now, owner })).length;
  }

  /**
   * Makes codes due that would wait for longer than a code lives: they were accepted before the clock was set
   * back.
   *
   * @param longestWaitMs - maximum legitimate wait of a code
   * @returns the number of codes
   */
  async releaseDelayedCodes(now: number, longestWaitMs: number): Promise<number> {
    const latest = now + longestWaitMs;
    return (await this.connection.rows(RELEASE_DELAYED_CODES, { now, latest })).length;
  }

  async backlog(): Promise<readonly Backlog[]> {
    const rows = await this.connection.rows(BACKLOG, undefined);
    return rows.map(([channel, messages, oldest, due]) => ({
      // Only this program writes the column, from this type.
      channel: channel as MessageChannel,
      messages,
      oldestCreatedAt: timeOfMessageId(oldest),
      oldestDueAt: due,
    }));
  }
}
