import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { packageRoot } from './wsdl-files';

export interface RunFolder {
  readonly path: string;
  /** Deletes it with all that is in it. */
  readonly remove: () => void;
}

/**
 * Makes an empty folder for one run, which is deleted at the latest when the process ends, also by a signal. It
 * lies where builds do, on a real disk: the temporary folder of some systems is memory, where a durable write
 * costs nothing.
 */
export function makeRunFolder(name: string): RunFolder {
  const builds = join(packageRoot(), 'build');
  mkdirSync(builds, { recursive: true });
  const path = mkdtempSync(join(builds, `${name}-`));
  const remove = (): void => {
    process.off('exit', remove);
    // What was killed just now may still be writing.
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  process.once('exit', remove);
  // Without a handler these end the process before its 'exit'.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(1));
  }
  return { path, remove };
}
