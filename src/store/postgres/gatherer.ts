/**
 * Gathers what is asked in one turn of the event loop, to be run together. Nothing waits for a later turn, unless as
 * much as may be is running already: what comes meanwhile is gathered for the next time.
 */
export class Gatherer<Asked> {
  readonly #run: (asked: readonly Asked[]) => Promise<void>;
  readonly #mostTogether: number;
  readonly #mostAtOnce: number;
  #waiting: Asked[] = [];
  #running = 0;
  #scheduled = false;

  /**
   * @param run - does not reject: it tells each of those who asked
   * @param mostTogether - how many are run together
   * @param mostAtOnce - how often it is run before the first one ends
   */
  constructor(run: (asked: readonly Asked[]) => Promise<void>, mostTogether: number, mostAtOnce: number) {
    this.#run = run;
    this.#mostTogether = mostTogether;
    this.#mostAtOnce = mostAtOnce;
  }

  add(asked: Asked): void {
    this.#waiting.push(asked);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#running >= this.#mostAtOnce) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#running += 1;
      void this.#run(this.#waiting.splice(0, this.#mostTogether)).finally(() => {
        this.#running -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }
}
