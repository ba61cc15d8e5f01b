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
  const remove = atExit(() => {
    // What was killed just now may still be writing.
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return { path, remove };
}

const cleanUps = new Set<() => void>();

/** Cleans up when this process ends, also by a signal. Returns what does it before. */
export function atExit(cleanUp: () => void): () => void {
  if (!process.listeners('exit').includes(cleanUpAll)) {
    process.once('exit', cleanUpAll);
    // Without a handler these end the process before its 'exit'.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => process.exit(1));
  }
  cleanUps.add(cleanUp);
  return () => {
    if (cleanUps.delete(cleanUp)) cleanUp();
  };
}

function cleanUpAll(): void {
  for (const cleanUp of cleanUps) cleanUp();
}
