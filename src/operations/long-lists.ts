/** A shorter list is made so soon that it does not count. */
const LONG = 500;
/** So many entries of long lists are made in one turn of the event loop, about: some milliseconds of work. */
const ENTRIES_PER_TURN = 2_000;

/**
 * Has long lists take turns. Those that are asked for at the same time would be made one behind the other
 * without a pause, and until the last was made nobody else would be answered.
 */
export class LongLists {
  readonly #waiting: (() => void)[] = [];
  #entries = 0;
  #isTurnEndAwaited = false;

  /** Whether this turn of the event loop has made enough of them. */
  get isFull(): boolean {
    return this.#entries >= ENTRIES_PER_TURN || this.#waiting.length > 0;
  }

  /** Resolves in a turn of the event loop that has made none yet: one a turn, first come, first served. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#awaitTurnEnd();
    });
  }

  /** Counts a list that was made. */
  made(entries: number): void {
    if (entries < LONG) return;
    this.#entries += entries;
    this.#awaitTurnEnd();
  }

  #awaitTurnEnd(): void {
    if (this.#isTurnEndAwaited) return;
    this.#isTurnEndAwaited = true;
    setImmediate(() => {
      this.#isTurnEndAwaited = false;
      this.#entries = 0;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#awaitTurnEnd();
    });
  }
}
