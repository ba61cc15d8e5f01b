import { join } from 'node:path';

import { exchange, packageRoot, TargetProcess } from '../../../scripts/harness';
import { type LoopDelay, readLoopDelay } from '../../../scripts/harness/delivery';

/** Starts the whole service on a database. */
export function startService(
  settings: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<TargetProcess> {
  const program = join(packageRoot(), 'dist', 'main.js');
  return TargetProcess.start(program, { ...settings, ADMIN_PORT: '0' }, nodeOptions);
}

/** Of the service since it was last asked. */
export async function loopDelay(service: TargetProcess): Promise<LoopDelay> {
  const adminPort = Number(await service.says(/Metrics for the operator: http:\S+:(\d+)\//));
  return readLoopDelay((await exchange(adminPort, { path: '/metrics' })).text);
}
