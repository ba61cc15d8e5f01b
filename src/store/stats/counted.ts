import { DAY_MS } from '../../support/durations';

/** Maximum number of rows in one statement: SQLite takes 32,766 values, and a row has fewer than ten. */
const MAX_ROWS = 1000;

/** Splits rows into chunks that fit one statement. */
export function chunked<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_, index) =>
    rows.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS),
  );
}

/**
 * Upper bounds of the histogram of times from acceptance to sending, in seconds, up to a day; each is two to
 * six times the one before. Longer times are counted under the bound `+Inf`.
 */
export const SENT_BOUNDS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 86_400,
];

/** Histogram: the number of messages that took more than `above` and at most `upTo`, in milliseconds. */
type Spread = readonly { readonly above: number; readonly upTo: number; readonly count: number }[];

/** @param counts - by bound as text; zero counts are omitted */
export function spreadOf(counts: readonly (readonly [bound: string, count: number])[]): Spread {
  return counts
    .map(([bound, count]) => {
      const seconds = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
      const above = SENT_BOUNDS.findLast((shorter) => shorter < seconds) ?? 0;
      return { above: above * 1000, upTo: seconds * 1000, count };
    })
    .toSorted((one, other) => one.upTo - other.upTo);
}

/**
 * Returns the time within which a share of the messages was sent, in whole milliseconds, interpolated
 * linearly between bounds; for messages beyond the longest bound, that bound.
 *
 * @param spread - of at least one message, shortest times first
 * @param share - 0.5 for the median
 */
export function quantileMs(spread: Spread, share: number): number {
  const wanted = share * spread.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  for (const { above, upTo, count } of spread) {
    if (before + count >= wanted) {
      const width = Number.isFinite(upTo) ? upTo - above : 0;
      return Math.round(above + (width * (wanted - before)) / count);
    }
    before += count;
  }
  return 0;
}

/** Count of one kind in one minute. */
export interface MinuteCount {
  /** Any moment of the minute, in milliseconds since 1970 UTC. */
  readonly at: number;
  /**
   * Figure, with up to three labels. `requests`: operation, binding and outcome; `errors`: operation,
   * binding, and the reason for having no result; `forwarded`: operation, binding and outcome of requests to
   * the old server; `settled`: channel and final state of messages; `attempts`: channel, outcome and gateway;
   * `sent`: channel, and upper bound of the time from acceptance to sending in seconds, `+Inf` beyond the
   * longest.
   */
  readonly figure: 'requests' | 'errors' | 'forwarded' | 'settled' | 'attempts' | 'sent' | 'receipts';
  readonly labels: readonly string[];
  readonly count: number;
}

/** Number of calls of an operation by a caller over a binding with one outcome. */
export interface CallerRequests {
  /** Name of the caller; undefined without one. */
  readonly caller: string | undefined;
  /** Address of a caller without a name, as far as it may be kept; undefined for none. */
  readonly address: string | undefined;
  /** Family of the User-Agent. */
  readonly agent: string;
  readonly operation: string;
  readonly binding: string;
  /**
   * Outcome in this service, as in service_requests_total, or at the old server, as in
   * service_forwarded_requests_total.
   */
  readonly outcome: string;
  readonly requests: number;
}

/** Requests of a caller in one minute. */
export interface CallerCount extends CallerRequests {
  /** Any moment of the minute, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Retention of counts by the minute, in milliseconds. */
export const MINUTES_KEPT_MS = 2 * DAY_MS;
/** Retention of counts by the hour or day, in milliseconds: a little over thirteen months. */
export const HOURS_KEPT_MS = 400 * DAY_MS;
