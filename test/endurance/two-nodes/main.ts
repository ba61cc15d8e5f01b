import { makeRunFolder, startPostgresCluster } from '../../../scripts/harness';
import { runTwoNodes } from './two-nodes';

const DEFAULT_CODES = 20_000;

/** `npm run two-nodes [-- CODES]` */
async function main(): Promise<void> {
  const codes = Number(process.argv[2] ?? DEFAULT_CODES);
  const cluster = await startPostgresCluster();
  if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
  const { path: folder, remove } = makeRunFolder('two-nodes');
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
    remove();
  }
}

void main();
