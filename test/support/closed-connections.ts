import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Has SQLite close the connections that this process has closed. The driver finalizes statements only when they are
 * collected, and until then their connection keeps its locks; a command, which is a process, takes them along when it
 * ends.
 */
export async function letGoOfClosed(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round++) {
    collect();
    await turn();
  }
}
