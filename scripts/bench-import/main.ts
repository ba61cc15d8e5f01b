import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { packageRoot } from '../../test/support/wsdl-files';
import { writeStudentFiles } from './student-files';
import { type TimedImport, timedImport } from './timed-import';

/** What test/support/postgres-cluster.cjs gives. */
interface ClusterModule {
  readonly startCluster: (options: { readonly durable: boolean }) => Promise<Cluster | undefined>;
}

interface Cluster {
  readonly url: string;
  readonly stop: () => void;
}

const DEFAULT_STUDENTS = 1_000_000;

/** `npm run bench:import [-- STUDENTS]`: how long an import takes, and how much memory, on each engine. */
async function main(): Promise<void> {
  const students = Number(process.argv[2] ?? DEFAULT_STUDENTS);
  const root = packageRoot();
  // Where builds are, on a real disk: the temporary folder of some systems is memory.
  mkdirSync(join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(join(root, 'build', 'bench-import-data-'));
  const clusters = createRequire(__filename)(
    join(root, 'test', 'support', 'postgres-cluster.cjs'),
  ) as ClusterModule; // Not compiled, and without types.
  const cluster = await clusters.startCluster({ durable: true });
  try {
    await writeStudentFiles(folder, students);
    const [cpu] = cpus();
    console.log(`${students.toLocaleString('en')} students; Node ${process.version}; ${cpu?.model ?? ''}`);
    const databases = [
      ['SQLite', `sqlite:${join(folder, 'service.db')}`],
      ...(cluster === undefined ? [] : [['PostgreSQL', cluster.url] as const]),
    ] as const;
    for (const [name, url] of databases) {
      report(`${name}, all new`, students, await timedImport(folder, url));
      report(`${name}, all unchanged`, students, await timedImport(folder, url));
    }
    if (cluster === undefined) console.log('PostgreSQL was not measured: no server is installed.');
  } finally {
    cluster?.stop();
    rmSync(folder, { recursive: true });
  }
}

function report(name: string, students: number, { seconds, cpuSeconds, peakBytes }: TimedImport): void {
  const rate = Math.round(students / seconds).toLocaleString('en');
  console.log(
    `${name.padEnd(26)} ${seconds.toFixed(1).padStart(6)} s  ${rate.padStart(8)} students/s  ` +
      `${cpuSeconds.toFixed(1).padStart(6)} s CPU  ${(peakBytes / 1e6).toFixed(0).padStart(4)} MB at most`,
  );
}

void main();
