import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { usageOf } from '../../scripts/harness';

/** Keeps the processor busy until the whole process has used 100 ms. */
const BUSY = `
  const before = process.cpuUsage();
  let used;
  do used = process.cpuUsage(before); while (used.user + used.system < 100_000);
`;

describe('the processor time of a process', () => {
  it('includes threads that have ended', async () => {
    const before = usageOf(process.pid).cpuMicros;
    await once(new Worker(BUSY, { eval: true }), 'exit');
    // `stat` gives whole hundredths of a second, each for user and system time.
    expect(usageOf(process.pid).cpuMicros - before).toBeGreaterThanOrEqual(80_000);
  });
});
