import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Registry } from 'prom-client';

import { AlertWatch } from '../../../src/admin/alerts/alerts';
import { ClockWatch, publishNodes } from '../../../src/admin/history/nodes';
import { loadConfig } from '../../../src/config';
import { createApp } from '../../../src/service/app';
import { openLog, PooledMetrics } from '../../../src/telemetry';
import { AN_EXCHANGE } from '../../harness/an-exchange';
import { GENERATED, wrap } from './markdown';

/** A metric that /metrics publishes. */
export interface PublishedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The names of its labels, without the bucket label of a histogram. */
  readonly labels: readonly string[];
}

const INTRODUCTION = `The service publishes these metrics in Prometheus format at \`/metrics\` on \`ADMIN_PORT\`.
[Monitoring](../monitoring.md) explains which ones to watch and provides alerts and a dashboard.
A histogram has the series \`_bucket\`, \`_sum\` and \`_count\`.`;

/** Titles of the sections, by the beginning of the names in them. */
const SECTIONS: Readonly<Record<string, string>> = {
  service_: 'Service',
  delivery_: 'Delivery',
  process_: 'Process',
  nodejs_: 'Node.js',
};

/** Returns the page on all metrics. */
export async function metricsPage(): Promise<string> {
  const metrics = await readPublishedMetrics();
  const sections = Object.entries(SECTIONS).map(([prefix, title]) => {
    const members = metrics.filter(({ name }) => name.startsWith(prefix));
    return `## ${title}\n\n${members.map(metricItem).join('')}`;
  });
  const homeless = metrics.find(
    ({ name }) => !Object.keys(SECTIONS).some((prefix) => name.startsWith(prefix)),
  );
  if (homeless !== undefined) throw new Error(`No section of the metrics page has ${homeless.name}.`);
  return `# Metrics\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${sections.join('\n')}`;
}

function metricItem({ name, type, help, labels }: PublishedMetric): string {
  const labelled = labels.length === 0 ? '' : `, by ${labels.map((label) => `\`${label}\``).join(', ')}`;
  return `${wrap(`- \`${name}\` (${type}${labelled}): ${help}`, '  ')}\n`;
}

/** Reads what /metrics publishes of a service with everything in use: TLS, nodes, an old server, several processes. */
export async function readPublishedMetrics(): Promise<readonly PublishedMetric[]> {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-'));
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
    metrics.countForwarded('operation', 'binding', 'answered', 'java');
    metrics.countWrite(1, 'full');
    metrics.countRequest({ ...AN_EXCHANGE, outcome: 'client_error', refusal: 'rate' }, 'java');
    publishNodes(metrics.registry, { store, folder });
    new ClockWatch({ registry: metrics.registry });
    const node = { name: 'one:1', version: '1', folder, metrics };
    const settings = { config, findings: [] };
    new AlertWatch({ store, node, ...settings, registry: metrics.registry, onLook: () => undefined });
    await store.nodes.say('one:1', { version: '1', processes: 1, circuits: [] }, Date.now());
    const { own } = new PooledMetrics(() => Promise.resolve());
    return [...(await metricsOf(metrics.registry)), ...(await metricsOf(own))];
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function metricsOf(registry: Registry): Promise<readonly PublishedMetric[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ name, type, help, values }) => {
    // The registry holds these; its typings leave the labels out.
    const { labelNames = [] } = registry.getSingleMetric(name) as { readonly labelNames?: readonly string[] };
    const labels = new Set([...labelNames, ...values.flatMap((value) => Object.keys(value.labels))]);
    labels.delete('le');
    // The library types them as a number or a text.
    return { name, type: String(type), help, labels: [...labels] };
  });
}
