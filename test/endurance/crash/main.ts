import { join } from 'node:path';

import { makeRunFolder, startPostgresCluster } from '../../../scripts/harness';
import { runCrashes } from './crash-run';

const DEFAULT_KILLS = 30;

/** `npm run test:crash [-- KILLS]` */
async function main(): Promise<void> {
  const kills = Number(process.argv[2] ?? DEFAULT_KILLS);
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
        `before it; sent twice otherwise ${String(report.unexplained)}`,
    );
    if (report.lost > 0 || report.unexplained > 0) process.exitCode = 1;
  } finally {
    remove();
  }
}

void main();
