import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

import { PROGRAM } from '../harness';

export interface TimedImport {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The most memory that the process had at any moment, in bytes. */
  readonly peakBytes: number;
}

/**
 * Runs `school-notifications import`'s program on a folder, and measures the whole process.
 *
 * @throws Error when it does not end well
 */
export async function timedImport(folder: string, databaseUrl: string): Promise<TimedImport> {
  const hook = join(__dirname, 'report-usage.js');
  const start = performance.now();
  const child = spawn(process.execPath, ['--require', hook, PROGRAM, 'import', folder], {
    cwd: folder,
    env: { DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  // The fourth of the pipes, and this program reads it.
  const exit: Promise<unknown[]> = once(child, 'exit');
  const usageText = await text(child.stdio[3] as Readable);
  const [code] = await exit;
  if (code !== 0) throw new Error(`The import ended with code ${String(code)}.`);
  // What report-usage.ts writes.
  const usage = JSON.parse(usageText) as NodeJS.ResourceUsage;
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    peakBytes: usage.maxRSS * 1024,
  };
}
