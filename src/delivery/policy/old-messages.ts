import type { Calendar, Store } from '../../store';
import { DAY_MS } from './code-limits';

/** How often the oldest messages are looked at, in milliseconds. */
const INTERVAL_MS = 60 * 60_000;
/** Of a backlog, a line in the log for so many. */
const TOLD_EACH = 100_000;

/** Removes messages that ended long ago, a few at each step: codes never wait for it longer than for another's write. */
export class OldMessages {
  readonly #store: Pick<Store, 'write'>;
  readonly #keepMs: number;
  readonly #calendar: Calendar;
  readonly #onRemoved: (messages: number) => void;
  #after = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #untold = 0;

  /**
   * @param keep.days - 0 keeps them for ever
   * @param keep.calendar - tells for which day each one is counted
   * @param onRemoved - told how many went
   */
  constructor(
    store: Pick<Store, 'write'>,
    { days, calendar }: { readonly days: number; readonly calendar: Calendar },
    onRemoved: (messages: number) => void,
  ) {
    this.#store = store;
    this.#keepMs = days * DAY_MS;
    this.#calendar = calendar;
    this.#onRemoved = onRemoved;
  }

  /** Takes one step, where it is time to look, or more was left by the step before. */
  async step(now: number): Promise<void> {
    if (this.#keepMs === 0) return;
    // Whichever way the clock was put.
    if (this.#after === '' && Math.abs(now - this.#lookedAt) < INTERVAL_MS) return;
    const { removed, last } = await this.#store.write(({ retention }) =>
      retention.removeEnded(this.#after, now - this.#keepMs, this.#calendar),
    );
    this.#untold += removed;
    this.#after = last ?? '';
    if (last === undefined) this.#lookedAt = now;
    if (last !== undefined && this.#untold < TOLD_EACH) return;
    if (this.#untold > 0) this.#onRemoved(this.#untold);
    this.#untold = 0;
  }
}
