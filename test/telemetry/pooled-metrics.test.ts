import { Counter, Gauge, Registry } from 'prom-client';

import { PooledMetrics } from '../../src/telemetry';

/** Returns what a process sends that has counted and holds the given numbers. */
async function snapshot(count: number, level: number) {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(count);
  new Gauge({ name: 'level', help: 'A level.', registers: [registry] }).set(level);
  // As it arrives: through a channel of JSON.
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as Awaited<
    ReturnType<Registry['getMetricsAsJSON']>
  >;
}

describe('the metrics of several processes', () => {
  it('are summed at the time they are read', async () => {
    const metrics: PooledMetrics = new PooledMetrics(async () => {
      metrics.remember(2, await snapshot(5, 3));
    });
    metrics.remember(1, await snapshot(1, 1));
    metrics.remember(2, await snapshot(4, 1));
    const text = await metrics.registry.metrics();
    expect(text).toContain('\nthings_total 6\n');
    expect(text).toContain('\nlevel 4\n');
    expect(text).toContain('\nservice_processes 2\n');
  });

  it('keep the counters of a process that ended, and nothing else from it', async () => {
    const metrics = new PooledMetrics(() => Promise.resolve());
    metrics.remember(1, await snapshot(1, 1));
    metrics.remember(2, await snapshot(5, 3));
    metrics.forget(1);
    metrics.forget(2);
    metrics.remember(3, await snapshot(10, 2));
    const text = await metrics.registry.metrics();
    expect(text).toContain('\nthings_total 16\n');
    expect(text).toContain('\nlevel 2\n');
  });

  it('are collected once for all concurrent readers', async () => {
    const collect = jest.fn(() => Promise.resolve());
    const { registry } = new PooledMetrics(collect);
    await Promise.all([registry.metrics(), registry.metrics()]);
    expect(collect).toHaveBeenCalledTimes(1);
    await registry.metrics();
    expect(collect).toHaveBeenCalledTimes(2);
  });
});
