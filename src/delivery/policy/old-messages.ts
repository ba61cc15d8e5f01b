import { type Calendar, NOTE_LIFETIME_MS, type Store } from '../../store';
import { maskPhone } from '../../support/masks';
import { CODE_MEMORY_MS, DAY_MS } from './code-limits';
import { USUAL_DAYS } from './usual-traffic';

/** A country to which no code went for longer is as good as new. */
const COUNTRY_DAYS = 400;

/** Messages of each kind that are changed in one transaction: others wait for some milliseconds. */
const CHUNK = 100;

/**
 * Erases from the store what nobody needs any more: codes that failed, the keys that tell repetitions, and
 * telephone numbers, which the limits on codes need for a day. What the operator sees of a message stays.
 *
 * @param repeatMs - how long repetitions of SendMarkNotes are looked for, in milliseconds
 */
export async function eraseExpired(
  store: Pick<Store, 'write'>,
  repeatMs: number,
  now: number,
): Promise<void> {
  const expiry = {
    now,
    codesUntil: now - CODE_MEMORY_MS,
    // A repetition may have waited for its whole life, where no worker ran, before it is looked for.
    requestsBefore: now - repeatMs - NOTE_LIFETIME_MS,
  };
  let changed: number;
  do {
    changed = await store.write(async ({ retention }) => {
      const erased = await retention.eraseExpired(expiry, CHUNK);
      return erased + (await retention.maskPhones(now - DAY_MS, CHUNK, maskPhone));
    });
  } while (changed > 0);
  const today = Math.floor(now / DAY_MS);
  await store.write(({ retention }) =>
    retention.forgetTraffic(today - USUAL_DAYS, today - COUNTRY_DAYS, now - USUAL_DAYS * DAY_MS),
  );
}

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
