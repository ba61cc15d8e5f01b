import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

export const SERVER_CORE = 0;
export const GENERATOR_CORE = 1;

/** Whether servers and load generator can have a core each; with one core, or without taskset, they share. */
export function pinSelf(): boolean {
  if (availableParallelism() < 2) return false;
  try {
    // Whatever this process starts from now on inherits its core.
    execFileSync('taskset', ['-acp', String(SERVER_CORE), String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
