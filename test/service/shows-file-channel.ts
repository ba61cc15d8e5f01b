import type { ServiceProcess } from '../../scripts/harness';

/** Expects that a service without a gateway, over real data, shows the critical alert about it. */
export async function showsFileChannel(service: Pick<ServiceProcess, 'ask' | 'askAdmin'>): Promise<void> {
  const readiness = async () => (await service.ask({ path: '/readyz' })).text;
  // The first look at the rules ends at its own time.
  while ((await readiness()) === '{"status":"ready"}') continue;
  expect(await readiness()).toBe('{"status":"degraded","alerts":["FileChannel"]}');
  const { text } = await service.askAdmin({ path: '/metrics' });
  expect(text).toContain('service_alerts{alert="FileChannel",severity="critical"} 1\n');
  expect(text).toContain('service_alerts{alert="SampleInstallation",severity="info"} 0\n');
}
