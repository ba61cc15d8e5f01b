import type { PoolProcess } from './pool-process';
import type { ToChild } from './messages';

/** Asks processes for something, and waits until all have answered or have ended. */
export class Round<Answer> {
  readonly #withinMs: number | undefined;
  readonly #awaited = new Set<number>();
  #answers: Answer[] = [];
  #onDone: () => void = () => undefined;

  /** @param withinMs - those that have not answered by then are waited for no longer; default: all are */
  constructor(withinMs?: number) {
    this.#withinMs = withinMs;
  }

  /** To be called when the round before is over. Resolves with the answers that came in time. */
  async ask(children: readonly PoolProcess[], question: ToChild): Promise<readonly Answer[]> {
    if (children.length === 0) return [];
    this.#answers = [];
    const done = new Promise<void>((resolve) => (this.#onDone = resolve));
    const late = this.#withinMs === undefined ? undefined : setTimeout(this.#onDone, this.#withinMs);
    for (const { id } of children) this.#awaited.add(id);
    for (const child of children) child.send(question);
    await done;
    clearTimeout(late);
    this.#awaited.clear();
    return this.#answers;
  }

  take(id: number, answer: Answer): void {
    this.#answers.push(answer);
    this.ended(id);
  }

  /** Nothing more is to be expected from a process. */
  ended(id: number): void {
    this.#awaited.delete(id);
    if (this.#awaited.size === 0) this.#onDone();
  }
}
