import { cpus } from 'node:os';
import { join } from 'node:path';

import { Command } from 'commander';

import { makeRunFolder, runCommand, startPostgresCluster, wholeNumber } from '../harness';
import { turnIntoWorkbook, writeStudentFiles } from './student-files';
import { type TimedImport, timedImport } from './timed-import';

const command = new Command('bench:import')
  .description('Measures how long an import takes, and how much memory, on each engine.')
  .argument('[students]', 'how many students the files have', wholeNumber, 1_000_000)
  .option('--workbook', 'read the students from an .xlsx workbook')
  .action(bench);

async function bench(students: number, { workbook = false }: { readonly workbook?: boolean }): Promise<void> {
  const folder = makeRunFolder('bench-import-data');
  const cluster = await startPostgresCluster();
  try {
    writeStudentFiles(folder.path, students);
    if (workbook) turnIntoWorkbook(folder.path);
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

runCommand(command);
