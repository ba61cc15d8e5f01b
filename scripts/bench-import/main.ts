import { cpus } from 'node:os';
import { join } from 'node:path';

import { makeRunFolder, startPostgresCluster } from '../harness';
import { writeStudentFiles } from './student-files';
import { type TimedImport, timedImport } from './timed-import';

const DEFAULT_STUDENTS = 1_000_000;

/** `npm run bench:import [-- STUDENTS]`: how long an import takes, and how much memory, on each engine. */
async function main(): Promise<void> {
  const students = Number(process.argv[2] ?? DEFAULT_STUDENTS);
  const folder = makeRunFolder('bench-import-data');
  const cluster = await startPostgresCluster();
  try {
    await writeStudentFiles(folder.path, students);
    const [cpu] = cpus();
    console.log(`${students.toLocaleString('en')} students; Node ${process.version}; ${cpu?.model ?? ''}`);
    const databases = [
      ['SQLite', `sqlite:${join(folder.path, 'service.db')}`],
      ...(cluster === undefined ? [] : [['PostgreSQL', cluster.url] as const]),
    ] as const;
    for (const [name, url] of databases) {
      report(`${name}, all new`, students, await timedImport(folder.path, url));
      report(`${name}, all unchanged`, students, await timedImport(folder.path, url));
    }
    if (cluster === undefined) console.log('PostgreSQL was not measured: no server is installed.');
  } finally {
    cluster?.stop();
    folder.remove();
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
