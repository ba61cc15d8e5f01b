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
