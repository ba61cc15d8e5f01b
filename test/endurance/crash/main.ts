import { join } from 'node:path';

import { Command } from 'commander';

import { makeRunFolder, runCommand, startPostgresCluster, wholeNumber } from '../../../scripts/harness';
import { LONGEST_UNRECORDED_MS, runCrashes } from './crash-run';

const command = new Command('test:crash')
  .description(
    'Kills the service under load at random moments, on each engine. Fails where a message that was acknowledged ' +
      'never reaches the provider, or reaches it twice for another reason than a kill.',
  )
  .argument('[kills]', 'how often it is killed in each of the three runs', wholeNumber, 30)
  .action(crashAll);

async function crashAll(kills: number): Promise<void> {
  await crash('SQLite, one process', 1, kills, (folder) => `sqlite:${join(folder, 'service.db')}`);
  for (const [name, nodes] of [
    ['PostgreSQL, one process', 1],
    ['PostgreSQL, two processes, one killed at a time', 2],
  ] as const) {
    const cluster = await startPostgresCluster();
    if (cluster === undefined) {
      console.log('PostgreSQL was not tested: no server is installed.');
      return;
    }
    try {
      await crash(name, nodes, kills, () => cluster.url);
    } finally {
      cluster.stop();
    }
  }
}

async function crash(
  name: string,
  nodes: number,
  kills: number,
  databaseUrl: (folder: string) => string,
): Promise<void> {
  const { path: folder, remove } = makeRunFolder('crash');
  try {
    const { random } = Math;
    const report = await runCrashes({ databaseUrl: databaseUrl(folder), folder, kills, nodes, random });
    console.log(
      `${name}: ${String(report.kills)} kills; ${String(report.acknowledged)} calls acknowledged, ` +
        `${String(report.messages)} messages; lost ${String(report.lost)}; sent twice because of a kill ` +
        `${String(report.sentTwice)}, the provider's answer at most ${report.longestUnrecordedMs.toFixed(0)} ms ` +
        `before it; sent twice otherwise ${String(report.unexplained)}; fell back to the second gateway ` +
        `${String(report.fallbacks)}, sent through both ${String(report.throughTwo)}; receipts acknowledged ` +
        `${String(report.receipts)}, lost ${String(report.receiptsLost)}`,
    );
    for (const what of report.lost > 0 ? report.unsent : [])
      console.log(`  not sent, says the store: ${what}`);
    const isLate = report.longestUnrecordedMs >= LONGEST_UNRECORDED_MS;
    const lost = report.lost + report.receiptsLost;
    if (lost > 0 || report.unexplained > 0 || report.throughTwo > 0 || isLate) process.exitCode = 1;
  } finally {
    remove();
  }
}

runCommand(command);
