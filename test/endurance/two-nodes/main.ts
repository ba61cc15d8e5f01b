import { Command } from 'commander';

import { makeRunFolder, runCommand, startPostgresCluster, wholeNumber } from '../../../scripts/harness';
import { runSharedRate, WINDOW_SECONDS } from './shared-rate';
import { runTwoNodes } from './two-nodes';

const command = new Command('two-nodes')
  .description(
    'Runs two nodes on one PostgreSQL behind a proxy, and kills one while codes are asked for. Fails where a code ' +
      'that was acknowledged is lost, or where three nodes together miss the limit of a gateway by more than 20 %.',
  )
  .argument('[codes]', 'how many codes are acknowledged, half of them after the kill', wholeNumber, 20_000)
  .action(twoNodes);

async function twoNodes(codes: number): Promise<void> {
  await onCluster((url, folder) => killOne(url, folder, codes));
  await onCluster(shareRate);
}

async function onCluster(run: (url: string, folder: string) => Promise<void>): Promise<void> {
  const cluster = await startPostgresCluster();
  if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
  const { path: folder, remove } = makeRunFolder('two-nodes');
  try {
    await run(cluster.url, folder);
  } finally {
    cluster.stop();
    remove();
  }
}

async function killOne(url: string, folder: string, codes: number): Promise<void> {
  const { tokens, messagesForOneCode, acknowledged, brokenOff, lost } = await runTwoNodes(url, folder, codes);
  console.log(`the token of DEV-1 through each node: ${tokens.join(', ')}`);
  console.log(`messages for one code asked for through both: ${String(messagesForOneCode)}`);
  console.log(`codes acknowledged, one node killed half-way: ${String(acknowledged)}`);
  console.log(`requests that the kill broke off: ${String(brokenOff)}`);
  console.log(`acknowledged and lost: ${String(lost)}`);
  if (lost > 0 || messagesForOneCode !== 1 || new Set(tokens).size !== 1) process.exitCode = 1;
}

async function shareRate(url: string, folder: string): Promise<void> {
  const perSecond = 10;
  const { arrived, windows } = await runSharedRate(url, folder, { nodes: 3, codes: 600, perSecond });
  const limit = perSecond * WINDOW_SECONDS;
  console.log(
    `codes through a gateway for ${String(perSecond)} a second, from three nodes: ${String(arrived)}`,
  );
  console.log(`of them in each ${String(WINDOW_SECONDS)} s, wanted ${String(limit)}: ${windows.join(', ')}`);
  // At the start the nodes get to know each other, and send less.
  const off = windows.filter((each, at) => each > limit * 1.2 || (at > 1 && each < limit * 0.8));
  if (off.length > 0) process.exitCode = 1;
}

runCommand(command);
