/** Work in progress that must finish by a deadline. */
interface Deadline {
  /** Deadline on the clock of `performance.now()`. */
  readonly atMs: number;
  readonly expire: () => void;
  /** Neighbours in the ring: the work started before and after this one; undefined once it has ended. */
  previous: Deadline | undefined;
  next: Deadline | undefined;
}

/**
 * Enforces one time limit on many pieces of work with a single timer: one for each request costs a token
 * request 6 % of its processor time.
 */
export class Deadlines {
  readonly #milliseconds: number;
  /** Head of a ring in order of start: a set would need two look-ups for each piece of work. */
  readonly #ring: Deadline;
  #isWaiting = false;

  /** @param milliseconds time limit */
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
    setTimeout(() => this.#look(), Math.ceil(milliseconds)).unref();
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
