import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Registry } from 'prom-client';

import { createApp } from '../../src/service/app';
import { loadConfig } from '../../src/config';
import { publishNodes } from '../../src/admin/history/nodes';
import { openLog, PooledMetrics } from '../../src/telemetry';
import { AN_EXCHANGE } from '../harness/an-exchange';

/** By the name of each series that /metrics gives, its labels. */
export type PublishedMetrics = ReadonlyMap<string, ReadonlySet<string>>;

/** What the library keeps of a metric. */
interface Described {
  readonly labelNames?: readonly string[];
}

/** What /metrics gives of a service with all that may be in it: TLS, nodes, an old server, several processes. */
export async function readPublishedMetrics(): Promise<PublishedMetrics> {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-test-'));
  const config = loadConfig({
    DATA_DIR: folder,
    SAMPLE_DATA: 'false',
    DEFAULT_COUNTRY: 'TR',
    OLD_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'silent',
  });
  const app = await createApp(config, openLog('silent'));
  try {
    const { metrics, store } = app;
    metrics.watchCertificate(() => new Date());
    metrics.countFailedHandshake('reason');
    metrics.countWrite(1, 'full');
    metrics.countRequest({ ...AN_EXCHANGE, outcome: 'client_error', refusal: 'rate' }, 'java');
    publishNodes(metrics.registry, { store, folder });
    await store.nodes.say('one:1', { version: '1', processes: 1, circuits: [] }, Date.now());
    const { own } = new PooledMetrics(() => Promise.resolve());
    return new Map([...(await seriesOf(metrics.registry)), ...(await seriesOf(own))]);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function seriesOf(registry: Registry): Promise<PublishedMetrics> {
  const series = new Map<string, Set<string>>();
  for (const { name, type, values } of await registry.getMetricsAsJSON()) {
    // What the registry holds; its typings leave the labels out.
    const { labelNames = [] } = registry.getSingleMetric(name) as Described;
    const given = values.flatMap(({ labels }) => Object.keys(labels));
    // The library types them as a number or a text.
    const isHistogram = String(type) === 'histogram';
    for (const suffix of isHistogram ? ['_bucket', '_sum', '_count'] : ['']) {
      const le = suffix === '_bucket' ? ['le'] : [];
      const labels = [...labelNames, ...given].filter((label) => label !== 'le');
      series.set(name + suffix, new Set([...labels, ...le]));
    }
  }
  return series;
}
