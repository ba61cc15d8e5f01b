const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** A process that has run so long died of something else than its start. */
const SOUND_AFTER_MS = 60_000;

export interface Restart {
  /** How often in a row processes have died soon after their start. */
  readonly failures: number;
  readonly delayMs: number;
}

/**
 * When a process that died is to be replaced: at once when it had run for long, later and later where one after
 * the other dies soon.
 *
 * @param failures - deaths in a row before this one
 */
export function restartDelay(failures: number, livedMs: number): Restart {
  if (livedMs >= SOUND_AFTER_MS) return { failures: 0, delayMs: 0 };
  return { failures: failures + 1, delayMs: Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS) };
}
