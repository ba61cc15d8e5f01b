import { NOTE_LIFETIME_MS, type Store } from '../../store';
import { maskPhone } from '../../privacy';
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
