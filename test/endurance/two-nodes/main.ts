import { Command } from 'commander';

import { makeRunFolder, runCommand, startPostgresCluster, wholeNumber } from '../../../scripts/harness';
import { runTwoNodes } from './two-nodes';

const command = new Command('two-nodes')
  .description(
    'Runs two nodes on one PostgreSQL behind a proxy, and kills one while codes are asked for. Fails where a code ' +
      'that was acknowledged is lost.',
  )
  .argument('[codes]', 'how many codes are acknowledged, half of them after the kill', wholeNumber, 20_000)
  .action(twoNodes);

async function twoNodes(codes: number): Promise<void> {
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

runCommand(command);
