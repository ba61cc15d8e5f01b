import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What Linux tells of the files that this process has open. */
const OPEN_FILES = '/proc/self/fd';
const MAX_ROUNDS = 4;

/**
 * Has SQLite close the connections that this process has closed. The driver finalizes statements only when they are
 * collected, and until then their connection keeps its locks; a command, which is a process, takes them along when it
 * ends. A round goes through all that the process holds, so there are no more than are needed.
 */
export async function letGoOfClosed(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < MAX_ROUNDS && hasOpenDatabase(); round++) {
    collect();
    await turn();
  }
}

/** Whether a database file may be open; one that was deleted holds nobody up. */
function hasOpenDatabase(): boolean {
  try {
    return readdirSync(OPEN_FILES).some((descriptor) => /\.db(?:-wal|-shm)?$/.test(target(descriptor)));
  } catch {
    return true; // The system does not tell.
  }
}

/** Empty where the descriptor was closed meanwhile, as that of the folder itself is. */
function target(descriptor: string): string {
  try {
    return readlinkSync(join(OPEN_FILES, descriptor));
  } catch {
    return '';
  }
}
