/** How long the event loop of a service was kept, by perf_hooks; in milliseconds. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly longestMs: number;
}

/**
 * Reads it from the service's metrics, where it begins anew at each reading. The service looks at its clock every
 * 10 ms, and these are part of each delay.
 *
 * @throws Error when there is no such metric
 */
export function readLoopDelay(metrics: string): LoopDelay {
  const milliseconds = (name: string): number => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(metrics) ?? [];
    if (seconds === undefined) throw new Error(`The service has no metric of its event loop's ${name}.`);
    return Number(seconds) * 1000;
  };
  return { p99Ms: milliseconds('p99'), longestMs: milliseconds('max') };
}
