import { sql } from 'kysely';

import { type Connection, EngineRepository } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import type { MessageChannel } from '../outbox/channels';
import type { MessageState } from '../outbox/messages';
import { addCallers, forgetCallers } from './callers';
import {
  type CallerCount,
  chunked,
  type MinuteCount,
  HOURS_KEPT_MS,
  MINUTES_KEPT_MS,
  quantileMs,
  spreadOf,
} from './counted';
import { HOUR_MS, MINUTE_MS } from '../../support/durations';

interface SpanValues {
  readonly step: string;
  readonly stepMs: number;
  readonly from: number;
  readonly to: number;
}

type StoredStat = readonly [
  at: number,
  figure: string,
  first: string,
  second: string,
  third: string,
  counted: number,
];

/** Reads by the key of the table alone; steps begin at `from`. */
const STATS_OF_SPAN = hotRead<SpanValues, StoredStat>('figures_of_span', (param) => {
  const from = param.integer((span) => span.from);
  return sql`select at - (at - ${from}) % ${param.integer(({ stepMs }) => stepMs)} as point,
        figure, first, second, third, cast(sum(counted) as bigint)
      from figures where step = ${param(({ step }) => step)}
        and at >= ${from} and at < ${param.integer(({ to }) => to)}
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;
});

/** Counts of one step. Zero counts are omitted. */
export interface StatsPoint {
  /** Start of the step, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** `none` for a request without an operation or a binding. */
  readonly requests: readonly {
    readonly operation: string;
    readonly binding: string;
    /** `ok`, `client_error` or `server_error`. */
    readonly outcome: string;
    readonly requests: number;
  }[];
  /** Requests without a result, by reason. */
  readonly errors: readonly {
    readonly operation: string;
    readonly binding: string;
    readonly reason: string;
    readonly requests: number;
  }[];
  /** Requests to the old server; outcomes as in the metric service_forwarded_requests_total. */
  readonly forwarded: StatsPoint['requests'];
  /** Messages that reached a final state. */
  readonly settled: readonly {
    readonly channel: MessageChannel;
    readonly state: MessageState;
    readonly messages: number;
  }[];
  /** Attempts to send a message, by the labels of the metric delivery_attempts_total. */
  readonly attempts: readonly {
    readonly channel: MessageChannel;
    readonly outcome: string;
    readonly gateway: string;
    readonly attempts: number;
  }[];
  /** Receipts of SMS gateways, by the labels of the metric delivery_receipts_total. */
  readonly receipts: readonly {
    readonly gateway: string;
    readonly result: string;
    readonly receipts: number;
  }[];
  /** Median and 99th percentile of the time from acceptance to sending. */
  readonly sent: readonly {
    readonly channel: MessageChannel;
    readonly messages: number;
    readonly medianMs: number;
    readonly p99Ms: number;
  }[];
}

/** @param rows - sorted by figure and channel */
function toPoint(at: number, rows: readonly StoredStat[]): StatsPoint {
  const byStat = grouped(rows, ([, figure]) => figure);
  const of = (figure: MinuteCount['figure']): readonly StoredStat[] => byStat.get(figure) ?? [];
  const requestsIn = (figure: 'requests' | 'forwarded'): StatsPoint['requests'] =>
    of(figure).map(([, , operation, binding, outcome, requests]) => ({
      operation,
      binding,
      outcome,
      requests,
    }));
  return {
    at,
    requests: requestsIn('requests'),
    forwarded: requestsIn('forwarded'),
    errors: of('errors').map(([, , operation, binding, reason, requests]) => ({
      operation,
      binding,
      reason,
      requests,
    })),
    settled: of('settled').map(([, , channel, state, , messages]) => ({
      // Only this program writes the labels, from these types.
      channel: channel as MessageChannel,
      state: state as MessageState,
      messages,
    })),
    attempts: of('attempts').map(([, , channel, outcome, gateway, attempts]) => ({
      // As above.
      channel: channel as MessageChannel,
      outcome,
      gateway,
      attempts,
    })),
    receipts: of('receipts').map(([, , gateway, result, , receipts]) => ({ gateway, result, receipts })),
    sent: [...grouped(of('sent'), ([, , channel]) => channel)].map(([channel, ofChannel]) =>
      // As above.
      toSentTimes(channel as MessageChannel, ofChannel),
    ),
  };
}

function toSentTimes(channel: MessageChannel, rows: readonly StoredStat[]): StatsPoint['sent'][number] {
  const spread = spreadOf(rows.map(([, , , bound, , count]) => [bound, count]));
  return {
    channel,
    messages: rows.reduce((sum, [, , , , , count]) => sum + count, 0),
    medianMs: quantileMs(spread, 0.5),
    p99Ms: quantileMs(spread, 0.99),
  };
}

function grouped<Key>(
  rows: readonly StoredStat[],
  keyOf: (row: StoredStat) => Key,
): ReadonlyMap<Key, readonly StoredStat[]> {
  const groups = new Map<Key, StoredStat[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Start and end in milliseconds since 1970 UTC. */
interface StatsSpan {
  readonly from: number;
  /** Exclusive end. */
  readonly to: number;
}

interface StatsSteps extends StatsSpan {
  /** Length of a step in milliseconds; whole hours are read from the hourly counts. */
  readonly stepMs: number;
}

/** Maximum number of points in a plot. */
const MAX_POINTS = 1500;

/** Counts by the minute for two days and by the hour for thirteen months, of all processes together. */
export class Stats extends EngineRepository {
  /**
   * Adds the counts since the last call, in one transaction, which also removes expired ones.
   *
   * @param now - milliseconds since 1970 UTC
   */
  add(counts: readonly MinuteCount[], callers: readonly CallerCount[], now: number): Promise<void> {
    return this.engine.write(async (connection) => {
      // Writers of the same rows run one after the other, in whichever order they touch them.
      await connection.lock(['figures']);
      await addCounts(connection, counts);
      await addCallers(connection, callers);
      await forgetCounts(connection, now);
      await forgetCallers(connection, now);
    });
  }

  /**
   * Returns the counts of a span, in steps that begin at multiples of their length since 1970 UTC: every step
   * that overlaps the span, oldest first.
   *
   * @throws RangeError for a step that is not a whole number of minutes, or for more than 1,500 points
   */
  async read({ from, to, stepMs }: StatsSteps): Promise<readonly StatsPoint[]> {
    if (!(stepMs > 0) || stepMs % MINUTE_MS !== 0) throw new RangeError('A step has whole minutes.');
    const begin = Math.floor(from / stepMs) * stepMs;
    const points = Math.max(0, Math.ceil((to - begin) / stepMs));
    if (points > MAX_POINTS) throw new RangeError(`There are more than ${String(MAX_POINTS)} points.`);
    const rows = await this.#rows(stepMs, { from: begin, to: begin + points * stepMs, stepMs });
    const byTime = grouped(rows, ([at]) => at);
    return Array.from({ length: points }, (_, index) => begin + index * stepMs).map((at) =>
      toPoint(at, byTime.get(at) ?? []),
    );
  }

  /** Returns the sums of a span of whole minutes; those of whole hours are read from the hourly counts. */
  async total({ from, to }: StatsSpan): Promise<StatsPoint> {
    const unitMs = from % HOUR_MS === 0 && to % HOUR_MS === 0 ? HOUR_MS : MINUTE_MS;
    return toPoint(from, await this.#rows(unitMs, { from, to, stepMs: to - from }));
  }

  #rows(unitMs: number, values: Omit<SpanValues, 'step'>): Promise<readonly StoredStat[]> {
    const step = unitMs % HOUR_MS === 0 ? 'hour' : 'minute';
    return (this.engine.reads ?? this.engine.direct).rows(STATS_OF_SPAN, { step, ...values });
  }
}

type StatsRow = Database['figures'];

const STEPS = [
  ['minute', MINUTE_MS],
  ['hour', HOUR_MS],
] as const;

async function addCounts({ kysely }: Connection, counts: readonly MinuteCount[]): Promise<void> {
  const rows = new Map<string, StatsRow>();
  for (const { at, figure, labels, count } of counts) {
    const [first = '', second = '', third = ''] = labels;
    for (const [step, ms] of STEPS) {
      const row = { step, at: Math.floor(at / ms) * ms, figure, first, second, third };
      const key = JSON.stringify(row);
      rows.set(key, { ...row, counted: (rows.get(key)?.counted ?? 0) + count });
    }
  }
  for (const some of chunked([...rows.values()])) {
    await kysely
      .insertInto('figures')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['step', 'at', 'figure', 'first', 'second', 'third'])
          .doUpdateSet({ counted: sql`figures.counted + excluded.counted` }),
      )
      .execute();
  }
}

async function forgetCounts({ kysely }: Connection, now: number): Promise<void> {
  for (const [step, keptMs] of [
    ['minute', MINUTES_KEPT_MS],
    ['hour', HOURS_KEPT_MS],
  ] as const) {
    await kysely
      .deleteFrom('figures')
      .where('step', '=', step)
      .where('at', '<', now - keptMs)
      .execute();
  }
}
