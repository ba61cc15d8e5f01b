import { sql } from 'kysely';

import { type Connection, Repository } from '../engine/engine';
import type { Database } from '../engine/schema';
import { hotRead } from '../engine/hot-statement';
import { type CallerCount, type CallerRequests, chunked, HOURS_KEPT_MS } from './counted';
import { DAY_MS } from '../../support/durations';

/** Requests of a caller on some days; addresses beyond the daily limit are recorded as `others`. */
interface CallerRecord extends CallerRequests {
  /** Milliseconds since 1970 UTC, to the minute. */
  readonly lastSeenAt: number;
}

/** Maximum number of addresses recorded per day: callers can use any number of them. */
const MAX_ADDRESSES = 300;
const OTHERS = 'others';
/** Maximum number of records in a list. */
const MAX_RECORDS = 1000;

type CallerRow = Database['caller_days'];
type ListedRow = readonly [
  caller: string,
  address: string,
  agent: string,
  operation: string,
  binding: string,
  outcome: string,
  requests: number,
  lastSeenAt: number,
];

const CALLERS_OF_DAYS = hotRead<{ readonly from: number; readonly to: number }, ListedRow>(
  'callers_of_days',
  (param) => sql`select caller, address, agent, operation, binding, outcome,
      cast(sum(requests) as bigint), max(last_seen_at)
    from caller_days
    where day >= ${param.integer(({ from }) => from)} and day <= ${param.integer(({ to }) => to)}
    group by 1, 2, 3, 4, 5, 6 order by 8 desc, 1, 2, 3, 4, 5, 6 limit ${sql.lit(MAX_RECORDS)}`,
);

/** Callers by day, for thirteen months. */
export class Callers extends Repository {
  /**
   * Lists the callers on the days of a span, most recent first; a thousand records at most.
   *
   * @param from - a moment of the first day, in milliseconds since 1970 UTC; days are UTC's
   * @param to - a moment of the last day
   */
  async list({ from, to }: { readonly from: number; readonly to: number }): Promise<readonly CallerRecord[]> {
    const rows = await this.connection.rows(CALLERS_OF_DAYS, { from: startOfDay(from), to: startOfDay(to) });
    return rows.map(([caller, address, agent, operation, binding, outcome, requests, lastSeenAt]) => ({
      caller: caller === '' ? undefined : caller,
      address: address === '' ? undefined : address,
      agent,
      operation,
      binding,
      outcome,
      requests,
      lastSeenAt,
    }));
  }
}

/** Must run in a transaction that excludes other calls of it. */
export async function addCallers(connection: Connection, counts: readonly CallerCount[]): Promise<void> {
  const rows = new Map<string, CallerRow>();
  const known = new Map<number, Set<string>>();
  for (const { at, caller = '', address = '', requests, agent, operation, binding, outcome } of counts) {
    const day = startOfDay(at);
    const addresses = known.get(day) ?? (await listAddresses(connection, day));
    known.set(day, addresses);
    if (!addresses.has(address) && addresses.size <= MAX_ADDRESSES) addresses.add(address);
    const key = { day, caller, address: addresses.has(address) ? address : OTHERS };
    const whole = { ...key, agent, operation, binding, outcome };
    const before = rows.get(JSON.stringify(whole));
    rows.set(JSON.stringify(whole), {
      ...whole,
      requests: (before?.requests ?? 0) + requests,
      last_seen_at: Math.max(before?.last_seen_at ?? 0, at),
    });
  }
  for (const some of chunked([...rows.values()])) {
    await connection.kysely
      .insertInto('caller_days')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'caller', 'address', 'agent', 'operation', 'binding', 'outcome'])
          .doUpdateSet({
            requests: sql`caller_days.requests + excluded.requests`,
            last_seen_at: sql`case when excluded.last_seen_at > caller_days.last_seen_at
            then excluded.last_seen_at else caller_days.last_seen_at end`,
          }),
      )
      .execute();
  }
}

/**
 * Returns the addresses of a day that have a row of their own, and the empty one for callers with a name or
 * without any address.
 */
async function listAddresses({ kysely }: Connection, day: number): Promise<Set<string>> {
  const rows = await kysely
    .selectFrom('caller_days')
    .select('address')
    .distinct()
    .where('day', '=', day)
    .execute();
  return new Set(['', ...rows.map(({ address }) => address)]);
}

export async function forgetCallers({ kysely }: Connection, now: number): Promise<void> {
  await kysely
    .deleteFrom('caller_days')
    .where('day', '<', startOfDay(now - HOURS_KEPT_MS))
    .execute();
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS);
}
