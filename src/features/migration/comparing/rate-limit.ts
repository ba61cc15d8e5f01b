import { setTimeout as wait } from 'node:timers/promises';

/** Clock in milliseconds, with waiting. */
interface RateClock {
  now(): number;
  /** @throws the signal's reason, if it ends the waiting */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const SYSTEM: RateClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};

/** Limits the rate of requests, evenly spaced, in order of arrival. */
export class RateLimit {
  readonly #millisecondsEach: number;
  readonly #clock: RateClock;
  #next = 0;

  /** @param perSecond - undefined for no limit */
  constructor(perSecond: number | undefined, clock = SYSTEM) {
    this.#millisecondsEach = perSecond === undefined ? 0 : 1000 / perSecond;
    this.#clock = clock;
  }

  /** @throws the signal's reason, if it ends the waiting */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#millisecondsEach;
    if (at > now) await this.#clock.wait(at - now, signal);
  }
}
