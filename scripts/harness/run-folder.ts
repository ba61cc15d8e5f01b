import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../src/support/package-root';

export interface RunFolder {
  readonly path: string;
  /** Deletes it with all that is in it. */
  readonly remove: () => void;
}

/**
 * Makes an empty folder for one run, which is deleted at the latest when the process ends, also by a signal.
 *
 * @param parent - default: where builds lie, on a real disk; the temporary folder of some systems is memory, where a
 *   durable write costs nothing
 */
export function makeRunFolder(name: string, parent = join(PACKAGE_ROOT, 'build')): RunFolder {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, `${name}-`));
  const remove = atExit(() => {
    // What was killed just now may still be writing.
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return { path, remove };
}

/** Key of the clean-ups of this process: the tests load this module again for each of their files. */
const CLEAN_UPS: unique symbol = Symbol.for('school-notifications: clean-ups');
// All that this module uses of it.
const shared = globalThis as { [CLEAN_UPS]?: Set<() => void> | undefined };

/** Cleans up when this process ends, also by a signal. Returns what does it before. */
export function atExit(cleanUp: () => void): () => void {
  const cleanUps = (shared[CLEAN_UPS] ??= cleanUpsAtExit());
  cleanUps.add(cleanUp);
  return () => {
    if (cleanUps.delete(cleanUp)) cleanUp();
  };
}

/** Returns a list of functions that are called when this process ends. */
function cleanUpsAtExit(): Set<() => void> {
  const cleanUps = new Set<() => void>();
  process.once('exit', () => {
    for (const cleanUp of cleanUps) cleanUp();
  });
  // Without a handler these end the process before its 'exit'.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  return cleanUps;
}
