import { setTimeout as wait } from 'node:timers/promises';

/** What time it is, in milliseconds, and waiting for another. */
export interface PaceClock {
  now(): number;
  /** @throws what the signal's reason is, where that ends the waiting */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const SYSTEM: PaceClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};

/** Lets through so many a second, evenly; who comes while others wait is let through after them. */
export class Pace {
  readonly #millisecondsEach: number;
  readonly #clock: PaceClock;
  #next = 0;

  /** @param perSecond - undefined for no bound */
  constructor(perSecond: number | undefined, clock = SYSTEM) {
    this.#millisecondsEach = perSecond === undefined ? 0 : 1000 / perSecond;
    this.#clock = clock;
  }

  /** @throws what the signal's reason is, where that ends the waiting */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#millisecondsEach;
    if (at > now) await this.#clock.wait(at - now, signal);
  }
}
