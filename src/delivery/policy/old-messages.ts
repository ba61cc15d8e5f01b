import { NOTE_LIFETIME_MS, type Store } from '../../store';
import { maskPhone } from '../../support/masks';
import { CODE_MEMORY_MS } from './code-limits';
import { DAY_MS } from '../../support/durations';
import type { Calendar } from '../../support/calendar';

/** Number of messages of each kind changed in one transaction: others wait for some milliseconds. */
const CHUNK = 100;

/**
 * Erases data that is no longer needed: failed codes, keys for finding duplicates, and phone numbers, which
 * the limits on codes need for a day. The operator's view of a message stays.
 *
 * @param repeatMs - time within which duplicates of SendMarkNotes are recognized, in milliseconds
 */
export async function eraseExpired(
  store: Pick<Store, 'write'>,
  repeatMs: number,
  now: number,
): Promise<void> {
  const expiry = {
    now,
    codesUntil: now - CODE_MEMORY_MS,
    // Without a worker, a duplicate may have waited for its whole lifetime before it is checked.
    requestsBefore: now - repeatMs - NOTE_LIFETIME_MS,
  };
  let changed: number;
  do {
    changed = await store.write(async ({ retention }) => {
      const erased = await retention.eraseExpired(expiry, CHUNK);
      return erased + (await retention.maskPhones(now - DAY_MS, CHUNK, maskPhone));
    });
  } while (changed > 0);
  await store.write(async ({ retention, refusals }) => {
    await retention.removeOutdated(now);
    await refusals.removeBefore(now - DAY_MS);
  });
}

/** Interval at which the oldest messages are examined, in milliseconds. */
const INTERVAL_MS = 60 * 60_000;
/** Number of removed messages per log line, for a backlog. */
const REPORTED_EACH = 100_000;

/**
 * Removes messages that ended long ago, a few at each step: codes wait for it no longer than for any other
 * write.
 */
export class OldMessages {
  readonly #store: Pick<Store, 'write'>;
  readonly #keepMs: number;
  readonly #calendar: Calendar;
  readonly #onRemoved: (messages: number) => void;
  #after = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #unreported = 0;

  /**
   * @param keep.days - 0 keeps them forever
   * @param keep.calendar - determines the day under which each one is counted
   * @param onRemoved - called with the number of removed messages
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

  /** Performs one step, if it is due, or the previous step left more. @returns true if this step left more */
  async step(now: number): Promise<boolean> {
    if (this.#keepMs === 0) return false;
    // In either direction, as the clock may have been changed.
    if (this.#after === '' && Math.abs(now - this.#lookedAt) < INTERVAL_MS) return false;
    const { removed, last } = await this.#store.write(({ retention }) =>
      retention.removeEnded(this.#after, now - this.#keepMs, this.#calendar),
    );
    this.#unreported += removed;
    this.#after = last ?? '';
    if (last === undefined) this.#lookedAt = now;
    if (last === undefined || this.#unreported >= REPORTED_EACH) {
      if (this.#unreported > 0) this.#onRemoved(this.#unreported);
      this.#unreported = 0;
    }
    return last !== undefined;
  }
}
