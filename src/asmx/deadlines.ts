/** Something under way that has to end in time. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  /** Called when the time is over. */
  readonly expire: () => void;
  /** Those that began before and after it; undefined when it has ended. */
  previous: Deadline | undefined;
  next: Deadline | undefined;
}

/** Watches over work that all has the same time, with one timer: one for each request costs more than it does. */
export class Deadlines {
  readonly #milliseconds: number;
  /** A ring in which those that began first stand first: a set would look each up twice. */
  readonly #ring: Deadline;
  #isWaiting = false;

  /** @param milliseconds how long the work may take */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    const ring: Deadline = { atMs: Infinity, expire: () => undefined, previous: undefined, next: undefined };
    ring.previous = ring;
    ring.next = ring;
    this.#ring = ring;
  }

  begin(expire: () => void): Deadline {
    const ring = this.#ring;
    const last = ring.previous ?? ring;
    const deadline = { atMs: performance.now() + this.#milliseconds, expire, previous: last, next: ring };
    last.next = deadline;
    ring.previous = deadline;
    if (!this.#isWaiting) this.#wait(this.#milliseconds);
    return deadline;
  }

  /** @returns whether the work ended in time */
  end(deadline: Deadline): boolean {
    const { previous, next } = deadline;
    if (previous === undefined || next === undefined) return false;
    previous.next = next;
    next.previous = previous;
    deadline.previous = undefined;
    deadline.next = undefined;
    return true;
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
    for (;;) {
      const first = this.#ring.next;
      if (first === undefined || first === this.#ring) return;
      if (first.atMs > now) {
        this.#wait(first.atMs - now);
        return;
      }
      this.end(first);
      first.expire();
    }
  }
}
