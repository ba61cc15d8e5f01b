import { ExponentialBackoff, type IBackoff, noJitterGenerator } from 'cockatiel';

import type { Random } from '../outcome/clock';

export interface BackoffSteps {
  readonly baseMs: number;
  readonly mostMs: number;
}

/**
 * How long to wait after a failed attempt: doubled from one to the next, any time up to that (full jitter), so
 * that what failed together does not come back together.
 *
 * @param attempt - which one failed, from 1
 * @returns milliseconds
 */
export function backoffMs({ baseMs, mostMs }: BackoffSteps, attempt: number, random: Random): number {
  // Without the library's jitter, whose random source cannot be given.
  const shape = new ExponentialBackoff({
    generator: noJitterGenerator,
    initialDelay: baseMs,
    maxDelay: mostMs,
    exponent: 2,
  });
  let step: IBackoff<unknown> = shape.next();
  // Every further step is as long as the last of these.
  const steps = Math.min(attempt, Math.ceil(Math.log2(mostMs / baseMs)) + 1);
  for (let at = 1; at < steps; at += 1) step = step.next(undefined);
  return Math.floor(step.duration * random());
}
