/** Minimum rate in messages per second: one in five seconds tests whether the provider accepts more again. */
const MIN_RATE = 0.2;
/** Below this share of the rate that was too high, the rate rises fast. */
const SAFE_PART = 0.9;
/** Share of the gap to that rate by which the rate rises per second. */
const RISE = 0.4;
/** Share by which the rate rises per second above it, and the minimum rise. */
const PROBING_RISE = 0.02;
const MIN_RISE = 0.15;
/**
 * Share of the rate that is left after a complaint: the rate was nearly right if messages were accepted until
 * then.
 */
const NEARLY_RIGHT = 0.85;
const FAR_TOO_HIGH = 0.5;
/**
 * Share of the rate that is used, and messages that may be saved up beside the next one, as a share of the
 * messages of a second. Their sum is below 1, so that no second has more messages than the rate, however the
 * provider counts seconds. What is saved makes up for wake-ups that come up to 20 ms late.
 */
const USED_PART = 0.975;
const SAVED_PART = 0.02;
/**
 * Minimum time between two looks for messages, in milliseconds: messages of that time are started together.
 */
const MIN_INTERVAL_MS = 10;
/** After this time without a complaint, the provider counts as unlimited again. */
const FORGOTTEN_AFTER_MS = 600_000;

/** Counts messages by the second. */
class Tally {
  #since = 0;
  #count = 0;
  #before = 0;

  count(now: number): void {
    this.#advance(now);
    this.#count += 1;
  }

  /** Returns the number in this second or in the one before, whichever is higher. */
  perSecond(now: number): number {
    this.#advance(now);
    return Math.max(this.#count, this.#before);
  }

  #advance(now: number): void {
    const age = now - this.#since;
    if (age < 1000) return;
    this.#before = age < 2000 ? this.#count : 0;
    this.#since = now;
    this.#count = 0;
  }
}

/**
 * Spreads messages evenly over time, and adapts their rate to a throttling provider: unlimited until its
 * first complaint, then less, and rising again with every accepted message. Without it, a burst is retried
 * until it expires: of 500 simultaneous codes to a gateway with a limit of 4 per second, 412 were lost.
 */
export class Pace {
  readonly #elapsed: () => number;
  /** Messages per second. */
  #rate = Number.POSITIVE_INFINITY;
  /** Rate at the last complaint. */
  #tooMuch = Number.POSITIVE_INFINITY;
  /** Number of messages that may be started. */
  #saved = 0;
  #savedAt: number;
  /** True if a message was accepted since the last complaint. */
  #isUsable = false;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /**
   * Known limit of the provider in messages per second from all nodes, and the number of nodes that share it.
   */
  #limit = Number.POSITIVE_INFINITY;
  #nodes = 1;
  readonly #begun = new Tally();
  readonly #accepted = new Tally();

  /** @param elapsed - monotonic time in milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#savedAt = elapsed();
  }

  /**
   * Limits the rate to this node's share of a known limit.
   *
   * @param limit - messages per second from all nodes
   */
  keepTo(limit: number | undefined): void {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  /** @param nodes - number of nodes that send to the provider; infinite if this one sends nothing for now */
  shareAmong(nodes: number): void {
    this.#nodes = Math.max(1, nodes);
  }

  /** Returns how many messages may be started now. */
  places(): number {
    if (this.pauseMs > 0) return 0;
    const now = this.#elapsed();
    if (now - this.#slowedAt > FORGOTTEN_AFTER_MS) this.#rate = Number.POSITIVE_INFINITY;
    const rate = this.#allowedRate();
    if (rate === Number.POSITIVE_INFINITY) return rate;
    this.#save(now, rate);
    return Math.max(0, Math.floor(this.#saved));
  }

  /**
   * Returns the time until the next message may be started, in milliseconds; infinite while none ever may.
   */
  untilPlaceMs(): number {
    const { pauseMs } = this;
    if (pauseMs > 0) return pauseMs;
    const rate = this.#allowedRate();
    if (rate === Number.POSITIVE_INFINITY) return 0;
    this.#save(this.#elapsed(), rate);
    const perMs = (rate * USED_PART) / 1000;
    return Math.max(0, (Math.max(1, perMs * MIN_INTERVAL_MS) - this.#saved) / perMs);
  }

  /** Counts a started message. @returns the time of its start, for `tooFast` */
  begin(): number {
    const now = this.#elapsed();
    this.#begun.count(now);
    // Several may have started with places for only one of them.
    this.#saved -= 1;
    return now;
  }

  /** Counts an accepted message. */
  taken(): void {
    this.#isUsable = true;
    this.#accepted.count(this.#elapsed());
    if (this.#rate === Number.POSITIVE_INFINITY) return;
    const safe = this.#tooMuch * SAFE_PART;
    const rise = this.#rate < safe ? (safe - this.#rate) * RISE : this.#rate * PROBING_RISE;
    // A rise per second is spread over `rate` messages; it never more than doubles the rate.
    this.#rate += Math.min(Math.max(rise, MIN_RISE) / this.#rate, this.#rate);
  }

  /**
   * Reduces the rate after a complaint. Complaints without an accepted message in between reduce it further,
   * but do not show how much the provider accepts: it may count by the second or the minute, and accept
   * nothing until the next one.
   *
   * @param begunAt - start of the message: of concurrent complaints only one counts
   */
  tooFast(begunAt: number): void {
    if (begunAt <= this.#slowedAt) return;
    const now = this.#elapsed();
    const rate = this.#allowedRate();
    if (rate === Number.POSITIVE_INFINITY)
      this.#tooMuch = this.#accepted.perSecond(now) || this.#begun.perSecond(now);
    else if (this.#isUsable) this.#tooMuch = rate;
    const reduced = this.#isUsable
      ? this.#tooMuch * NEARLY_RIGHT
      : Math.min(rate, this.#tooMuch) * FAR_TOO_HIGH;
    this.#rate = Math.max(MIN_RATE, reduced);
    this.#isUsable = false;
    this.#saved = 0;
    this.#savedAt = now;
    this.#slowedAt = now;
  }

  /** Remaining time in milliseconds in which no message may be started; 0 or less without a pause. */
  get pauseMs(): number {
    return this.#pausedUntil - this.#elapsed();
  }

  /** Starts no messages for a time. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#elapsed() + milliseconds);
  }

  /** Forgets the limit: another transport may have none, or another one. */
  forget(): void {
    this.#rate = Number.POSITIVE_INFINITY;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  #allowedRate(): number {
    return this.#limit === Number.POSITIVE_INFINITY
      ? this.#rate
      : Math.min(this.#rate, this.#limit / this.#nodes);
  }

  #save(now: number, rate: number): void {
    const gained = ((now - this.#savedAt) / 1000) * rate * USED_PART;
    this.#saved = Math.min(this.#saved + gained, 1 + rate * SAVED_PART);
    this.#savedAt = now;
  }
}
