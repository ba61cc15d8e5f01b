/** Messages a second, at least: one in five seconds finds out whether the provider takes more again. */
const LEAST_RATE = 0.2;
/** Below this part of the rate that was too much, the rate rises fast. */
const SAFE_PART = 0.9;
/** Part of what is missing to that by which the rate rises in a second. */
const RISE = 0.4;
/** Part of itself by which the rate rises in a second above it, and how much it rises at least. */
const PROBING_RISE = 0.02;
const LEAST_RISE = 0.15;
/** As long as a lane may take to look again: what could have gone meanwhile goes at once. */
const MOST_SAVED_SECONDS = 0.6;
/** After so long without a complaint the provider is no longer taken for one that has a limit. */
const FORGOTTEN_AFTER_MS = 600_000;

/**
 * How fast messages go to a provider that says they come too fast: as fast as they can until it says so for the first
 * time, then at half the rate, which rises again with every message that is taken. Without it, a burst is tried again
 * and again until it has used up its time: of 500 codes at once to a gateway that takes 4 a second, 412 were lost.
 */
export class Pace {
  readonly #elapsed: () => number;
  /** Messages a second. */
  #rate = Number.POSITIVE_INFINITY;
  /** The rate that was too much the last time. */
  #tooMuch = Number.POSITIVE_INFINITY;
  /** Messages that may be begun. */
  #saved = 0;
  #savedAt: number;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Messages a second that the provider takes from all nodes, and how many of those share them. */
  #limit = Number.POSITIVE_INFINITY;
  #nodes = 1;
  /** Messages begun in this second, and in the one before. */
  #second = { since: 0, begun: 0, before: 0 };

  /** @param elapsed - milliseconds that only ever grow */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#savedAt = elapsed();
  }

  /**
   * Never begins more than its share of a known limit.
   *
   * @param limit - messages a second from all nodes
   */
  keepTo(limit: number | undefined): void {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  /** @param nodes - how many nodes send to the provider */
  shareAmong(nodes: number): void {
    this.#nodes = Math.max(1, nodes);
  }

  /** How many messages may be begun now. */
  places(): number {
    const now = this.#elapsed();
    if (now < this.#pausedUntil) return 0;
    if (now - this.#slowedAt > FORGOTTEN_AFTER_MS) this.#rate = Number.POSITIVE_INFINITY;
    const rate = this.#allowedRate();
    if (rate === Number.POSITIVE_INFINITY) return rate;
    this.#save(now, rate);
    return Math.max(0, Math.floor(this.#saved));
  }

  /**
   * A message is begun.
   *
   * @returns when, for `ended`
   */
  begin(): number {
    const now = this.#elapsed();
    const { since, begun } = this.#second;
    if (now - since < 1000) this.#second.begun += 1;
    else this.#second = { since: now, begun: 1, before: now - since < 2000 ? begun : 0 };
    // Several may have begun with the places that there were for one of them.
    this.#saved -= 1;
    return now;
  }

  /** The provider took a message. */
  taken(): void {
    if (this.#rate === Number.POSITIVE_INFINITY) return;
    const safe = this.#tooMuch * SAFE_PART;
    const rise = this.#rate < safe ? (safe - this.#rate) * RISE : this.#rate * PROBING_RISE;
    // By the second, and there are `rate` messages in one; never more than doubled.
    this.#rate += Math.min(Math.max(rise, LEAST_RISE) / this.#rate, this.#rate);
  }

  /**
   * The provider says that messages come too fast.
   *
   * @param begunAt - when the message was begun for which it says so: of those under way at once only one counts
   */
  tooFast(begunAt: number): void {
    if (begunAt <= this.#slowedAt) return;
    const now = this.#elapsed();
    const { begun, before } = this.#second;
    this.#tooMuch = Math.min(this.#allowedRate(), Math.max(begun, before));
    this.#rate = Math.max(LEAST_RATE, this.#tooMuch / 2);
    this.#saved = 0;
    this.#savedAt = now;
    this.#slowedAt = now;
  }

  /** Nothing is begun for a time. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#elapsed() + milliseconds);
  }

  /** Another way to the provider may know no limit, or another one. */
  forget(): void {
    this.#rate = Number.POSITIVE_INFINITY;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  #allowedRate(): number {
    return Math.min(this.#rate, this.#limit / this.#nodes);
  }

  #save(now: number, rate: number): void {
    const gained = ((now - this.#savedAt) / 1000) * rate;
    this.#saved = Math.min(this.#saved + gained, Math.max(1, rate * MOST_SAVED_SECONDS));
    this.#savedAt = now;
  }
}
