import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the service before its own code: watches its event loop every millisecond (the service itself looks
 * every 10). Each SIGUSR2 makes it tell the delays since the one before, a line of JSON on standard error.
 */
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

let reports = 0;
process.on('SIGUSR2', () => {
  reports += 1;
  const milliseconds = { p99Ms: delays.percentile(99) / 1e6, longestMs: delays.max / 1e6 };
  delays.reset();
  console.error(`event-loop delays ${String(reports)}: ${JSON.stringify(milliseconds)}`);
});
