import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ServiceOptions, ServiceProcess } from '../../scripts/harness';

export interface ServiceFactory {
  /** A folder of the block's own; the data folder lies in it. */
  readonly folder: string;
  /** Starts the service, waiting for nothing. */
  spawn(options?: ServiceOptions): ServiceProcess;
  /** Starts the service and waits until it listens. */
  start(options?: ServiceOptions): Promise<ServiceProcess>;
}

/** Starts services for the tests of the surrounding block, and ends those that are left after it. */
export function useServices(): ServiceFactory {
  const folder = mkdtempSync(join(tmpdir(), 'service-test-'));
  const started: ServiceProcess[] = [];
  afterAll(async () => {
    for (const service of started) service.signal('SIGKILL');
    await Promise.all(started.map((service) => service.ended()));
    rmSync(folder, { recursive: true, force: true });
  });
  const spawnService = (options?: ServiceOptions): ServiceProcess => {
    const service = new ServiceProcess(folder, options);
    started.push(service);
    return service;
  };
  return { folder, spawn: spawnService, start: (options) => spawnService(options).listening() };
}
