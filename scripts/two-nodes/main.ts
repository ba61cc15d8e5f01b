import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packageRoot } from '../../test/support/wsdl-files';
import { runTwoNodes } from './two-nodes';

/** What test/support/postgres-cluster.cjs gives. */
interface ClusterModule {
  readonly startCluster: (options: { readonly durable: boolean }) => Promise<Cluster | undefined>;
}

interface Cluster {
  readonly url: string;
  readonly stop: () => void;
}

const DEFAULT_CODES = 20_000;

/** `npm run two-nodes [-- CODES]` */
async function main(): Promise<void> {
  const codes = Number(process.argv[2] ?? DEFAULT_CODES);
  const path = join(packageRoot(), 'test', 'support', 'postgres-cluster.cjs');
  const clusters = createRequire(__filename)(path) as ClusterModule; // Not compiled, and without types.
  const cluster = await clusters.startCluster({ durable: true });
  if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
  const folder = mkdtempSync(join(tmpdir(), 'two-nodes-'));
  try {
    const { tokens, messagesForOneCode, acknowledged, brokenOff, lost } = await runTwoNodes(
      cluster.url,
      folder,
      codes,
    );
    console.log(`the token of DEV-1 through each node: ${tokens.join(', ')}`);
    console.log(`messages for one code asked for through both: ${String(messagesForOneCode)}`);
    console.log(`codes acknowledged, one node killed half-way: ${String(acknowledged)}`);
    console.log(`requests that the kill broke off: ${String(brokenOff)}`);
    console.log(`acknowledged and lost: ${String(lost)}`);
    if (lost > 0 || messagesForOneCode !== 1 || new Set(tokens).size !== 1) process.exitCode = 1;
  } finally {
    cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

void main();
