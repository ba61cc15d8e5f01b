/** Something under way that has to end in time. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  /** Called when the time is over. */
  readonly expire: () => void;
}

/** Watches over work that all has the same time, with one timer: one for each request costs more than it does. */
export class Deadlines {
  readonly #milliseconds: number;
  /** Those that began first stand first. */
  readonly #running = new Set<Deadline>();
  #isWaiting = false;

  /** @param milliseconds how long the work may take */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  begin(expire: () => void): Deadline {
    const deadline = { atMs: performance.now() + this.#milliseconds, expire };
    this.#running.add(deadline);
    if (!this.#isWaiting) this.#wait(this.#milliseconds);
    return deadline;
  }

  /** @returns whether the work ended in time */
  end(deadline: Deadline): boolean {
    return this.#running.delete(deadline);
  }

  #wait(milliseconds: number): void {
    this.#isWaiting = true;
    setTimeout(() => {
      this.#look();
    }, Math.ceil(milliseconds)).unref();
  }

  #look(): void {
    this.#isWaiting = false;
    const now = performance.now();
    for (const deadline of this.#running) {
      if (deadline.atMs > now) {
        this.#wait(deadline.atMs - now);
        break;
      }
      this.#running.delete(deadline);
      deadline.expire();
    }
  }
}
