import { fork } from 'node:child_process';
import { once } from 'node:events';

import type { Finding } from './simulate';

export interface Worlds {
  /** The first seed. */
  readonly from: number;
  readonly seeds: number;
  /** How many processes share them. */
  readonly processes: number;
  /** Runs some worlds and sends a WorldReport of each; given the first seed, how many, and from one to the next. */
  readonly program: string;
}

export interface WorldReport {
  readonly seed: number;
  readonly messages: number;
  readonly finding?: Finding | undefined;
}

/**
 * Runs the worlds of a range of seeds, each exactly once. One that never comes to its end, because its process ended
 * before, is a finding like any other.
 *
 * @param onWorld - called once for each seed, in no order
 */
export async function runWorlds(
  { from, seeds, processes, program }: Worlds,
  onWorld: (report: WorldReport) => void,
): Promise<void> {
  const shares = Array.from({ length: Math.min(processes, seeds) }, (_, at) => at);
  await Promise.all(
    shares.map(async (share) => {
      for (let seed = from + share; seed < from + seeds;) {
        const left = Math.ceil((from + seeds - seed) / shares.length);
        const { next, how } = await runShare(program, [seed, left, shares.length], onWorld);
        seed = next;
        if (seed >= from + seeds) return;
        const what = `does not come to an end: its process ended before (${how})`;
        onWorld({ seed, messages: 0, finding: { seed, what, events: [] } });
        seed += shares.length;
      }
    }),
  );
}

async function runShare(
  program: string,
  share: readonly [from: number, worlds: number, step: number],
  onWorld: (report: WorldReport) => void,
): Promise<{ readonly next: number; readonly how: string }> {
  const child = fork(program, share.map(String));
  let [next] = share;
  child.on('message', (report: WorldReport) => {
    next = report.seed + share[2];
    onWorld(report);
  });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  // Its last message may come after its end.
  await Promise.all([ended, once(child, 'disconnect')]);
  const [code, signal] = await ended;
  return { next, how: signal ?? `exit code ${String(code)}` };
}
