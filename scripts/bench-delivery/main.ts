import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FakeProvider } from '../../test/delivery/fake-provider';
import { packageRoot } from '../../test/support/wsdl-files';
import { benchDelivery } from './delivery-bench';

/** What test/support/postgres-cluster.cjs gives. */
interface ClusterModule {
  readonly startCluster: (options: { readonly durable: boolean }) => Promise<Cluster | undefined>;
}

interface Cluster {
  readonly url: string;
  readonly stop: () => void;
}

const DEFAULT_CODES = 10_000;
const STUDENTS = 10_000;

/** `npm run bench:delivery [-- CODES]` */
async function main(): Promise<void> {
  const codes = Number(process.argv[2] ?? DEFAULT_CODES);
  await bench('SQLite', codes, (folder) => `sqlite:${join(folder, 'service.db')}`);
  const path = join(packageRoot(), 'test', 'support', 'postgres-cluster.cjs');
  const clusters = createRequire(__filename)(path) as ClusterModule; // Not compiled, and without types.
  const cluster = await clusters.startCluster({ durable: true });
  if (cluster === undefined) {
    console.log('PostgreSQL was not measured: no server is installed.');
    return;
  }
  try {
    await bench('PostgreSQL', codes, () => cluster.url);
  } finally {
    cluster.stop();
  }
}

async function bench(name: string, codes: number, databaseUrl: (folder: string) => string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-delivery-'));
  const provider = await new FakeProvider().start();
  try {
    const report = await benchDelivery({
      databaseUrl: databaseUrl(folder),
      folder,
      provider,
      codes,
      students: STUDENTS,
    });
    console.log(name);
    for (const [what, value] of Object.entries(report))
      console.log(`  ${what.padEnd(18)} ${Number(value).toFixed(0)}`);
  } finally {
    await provider.stop();
    rmSync(folder, { recursive: true });
  }
}

void main();
