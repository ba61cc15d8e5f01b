import type { Store } from '../store';
import { maskPhone } from '../telemetry';
import { CODE_MEMORY_MS, DAY_MS } from './policy/code-limits';

/** So long a repetition of a request may wait, where no worker runs, before it is looked for. */
const REQUEST_LIFETIME_MS = DAY_MS;
/** Telephone numbers that are masked in one transaction: others wait for a millisecond or two. */
const CHUNK = 100;

/**
 * Takes out of the store what nobody needs any more: codes that failed, the keys that tell repetitions, and
 * telephone numbers, which the limits on codes need for a day. What the operator sees of a message stays.
 *
 * @param repeatMs - how long repetitions of SendMarkNotes are looked for, in milliseconds
 */
export async function forgetWhatIsOver(
  store: Pick<Store, 'outbox' | 'write'>,
  repeatMs: number,
  now: number,
): Promise<void> {
  await store.outbox.forget({
    now,
    codesUntil: now - CODE_MEMORY_MS,
    requestsBefore: now - repeatMs - REQUEST_LIFETIME_MS,
  });
  let masked: number;
  do {
    masked = await store.write(({ outbox }) => outbox.maskPhones(now - DAY_MS, CHUNK, maskPhone));
  } while (masked === CHUNK);
}
