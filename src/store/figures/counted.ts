/** Rows of one statement: SQLite takes 32,766 values, and a row has fewer than ten. */
const MOST_ROWS = 1000;

/** Rows by as many as one statement takes. */
export function chunked<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / MOST_ROWS) }, (_, index) =>
    rows.slice(index * MOST_ROWS, (index + 1) * MOST_ROWS),
  );
}

/**
 * By which times from acceptance to sending messages are counted apart, in seconds: from the shortest there is to a
 * day, each some two to six times the one before. What takes longer is counted under the bound `+Inf`.
 */
export const SENT_BOUNDS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 86_400,
];

/** How many messages took how long: each more than `above` and at most `upTo`, in milliseconds. */
type Spread = readonly { readonly above: number; readonly upTo: number; readonly count: number }[];

/** @param counts - by bound as text, without those of nothing */
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
 * The time that a share of the messages took at most, in whole milliseconds, as if those between two bounds were
 * spread evenly there; of those beyond the longest bound nothing is known but that bound.
 *
 * @param spread - of one message at least, the shortest times first
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

/** What was counted of one kind in one minute. */
export interface Counted {
  /** A moment of the minute, in milliseconds since 1970 UTC. */
  readonly at: number;
  /**
   * Three labels at most tell the counts of a figure apart. `requests`: operation, binding and outcome; `errors`:
   * operation, binding, and why there was no result; `settled`: channel and state of messages that came to their end;
   * `sent`: channel, and the longest time in seconds from acceptance to sending of those counted there, and not under
   * a shorter one; `+Inf` for the rest.
   */
  readonly figure: 'requests' | 'errors' | 'settled' | 'sent';
  readonly labels: readonly string[];
  readonly count: number;
}

/** Who called an operation by a binding, and how often. */
export interface CallerRequests {
  /** Name; undefined for who has none. */
  readonly caller: string | undefined;
  /** Of who has no name: as much of the address as may be kept; undefined for nothing. */
  readonly address: string | undefined;
  /** Family of the User-Agent. */
  readonly agent: string;
  readonly operation: string;
  readonly binding: string;
  readonly requests: number;
}

/** In one minute. */
export interface CallerCount extends CallerRequests {
  /** A moment of the minute, in milliseconds since 1970 UTC. */
  readonly at: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** How long what was counted by the minute is kept. */
export const MINUTES_KEPT_MS = 2 * DAY_MS;
/** How long what was counted by the hour or by the day is kept: thirteen months and a little. */
export const HOURS_KEPT_MS = 400 * DAY_MS;
