import { Worker } from 'node:worker_threads';

/** A thread of its own, because nothing else hears of the parent's end while the event loop is blocked. */
const WATCH = `
const { workerData: { parent, everyMs } } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, everyMs);
`;
const LOOK_MS = 1000;
/** Enough for a timer, in MB. */
const LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/**
 * Ends this process soon after its parent has ended, in whatever way, even if that was before this call. The
 * end of the channel to the parent is an event, and SIGTERM has a listener: a process that is busy with one
 * request hears of neither.
 *
 * @param parent - process id, as the parent itself gave it: that of an orphan is another one
 */
export function endWithParent(parent: number): void {
  const workerData = { parent, everyMs: LOOK_MS };
  const watch = new Worker(WATCH, { eval: true, workerData, resourceLimits: LIMITS });
  // Without it, the channel still ends this process.
  watch.on('error', () => undefined);
  watch.unref();
}
