import { join } from 'node:path';

import { exchange } from '../../test/support/raw-http';
import { packageRoot } from '../../test/support/wsdl-files';
import { TargetProcess } from '../run/target-process';

/** What the service says of its event loop, by perf_hooks, since it was last asked; in milliseconds. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** Starts the whole service on a database. */
export function startService(
  settings: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<TargetProcess> {
  const program = join(packageRoot(), 'dist', 'main.js');
  return TargetProcess.start(program, { ...settings, ADMIN_PORT: '0' }, nodeOptions);
}

/**
 * Reads it from the service's metrics. It looks at its clock every 10 ms, and these are part of each delay.
 *
 * @throws Error when there is no such metric
 */
export async function loopDelay(service: TargetProcess): Promise<LoopDelay> {
  const adminPort = Number(await service.says(/Metrics for the operator: http:\S+:(\d+)\//));
  const { text } = await exchange(adminPort, { path: '/metrics' });
  const milliseconds = (name: string): number => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text) ?? [];
    if (seconds === undefined) throw new Error(`The service has no metric of its event loop's ${name}.`);
    return Number(seconds) * 1000;
  };
  return { p99Ms: milliseconds('p99'), longestMs: milliseconds('max') };
}
