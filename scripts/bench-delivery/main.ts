import { join } from 'node:path';

import { Command } from 'commander';

import {
  conditions,
  endAfter,
  makeRunFolder,
  runCommand,
  startPostgresCluster,
  wholeNumber,
} from '../harness';
import { type Amounts, measureRound, type Round } from './measure-round';
import { measureRemoval } from './removal';
import { slowestCodeMs, table } from './table';
import { simulateWeek, weekTable } from './week';

interface Options extends Amounts {
  readonly quick?: true;
  readonly week?: true;
  readonly removal?: number;
  readonly rounds: number;
}

interface RunDatabase {
  readonly url: string;
  readonly stop: () => void;
}

/** Shows that everything runs; its figures say nothing. */
const QUICK: Options = { rounds: 1, codes: 200, students: 300 };
/** Limits what a code may take while notes are queued, from its call until the provider has it. */
const TARGET_MS = 1000;
const LONGEST_RUN_MS = 20 * 60_000;

const ENGINES: Readonly<Record<string, (folder: string) => Promise<RunDatabase | undefined>>> = {
  SQLite: (folder) => Promise.resolve({ url: `sqlite:${join(folder, 'service.db')}`, stop: () => undefined }),
  PostgreSQL: () => startPostgresCluster(),
};

const command = new Command('bench:delivery')
  .description(
    'Measures what the service accepts and delivers on each engine, with a provider on this machine that takes ' +
      `everything at once, and how long a code takes while notes are queued (at most ${String(TARGET_MS)} ms). ` +
      'Prints a table in Markdown.',
  )
  .option('--quick', 'only show that it runs, within a minute')
  .option(
    '--week',
    'instead: how large PostgreSQL’s tables are after each day of a simulated week, with so much a day',
  )
  .option(
    '--removal <codes>',
    'instead: what the removal of old codes costs on PostgreSQL, with so many old ones',
    wholeNumber,
  )
  .option('--rounds <number>', 'how often; the table has the medians', wholeNumber, 3)
  .option('--codes <number>', 'codes to accept and to deliver', wholeNumber, 10_000)
  .option('--students <number>', 'size of the class that gets a note', wholeNumber, 10_000)
  .action(bench);

async function bench({ quick, week, removal, ...given }: Options): Promise<void> {
  const { rounds, ...amounts } = quick ? QUICK : given;
  endAfter(LONGEST_RUN_MS);
  if (week) return benchWeek(amounts);
  if (removal !== undefined) return benchRemoval(removal);

  const measured = new Map<string, readonly Round[]>();
  for (const [engine, start] of Object.entries(ENGINES)) {
    const list: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const measurement = await oneRound(start, amounts, (what) => {
        console.error(`${engine}, round ${String(round)} of ${String(rounds)}: ${what}`);
      });
      if (measurement !== undefined) list.push(measurement);
    }
    if (list.length > 0) measured.set(engine, list);
    else console.error(`${engine} was not measured: no server is installed.`);
  }

  console.log(`${conditions('bench:delivery')}\n\n${table(measured, amounts)}`);
  const slowest = Math.max(...[...measured.values()].map(slowestCodeMs));
  if (!quick && slowest > TARGET_MS) {
    console.error(
      `A code took ${slowest.toFixed(0)} ms while notes were queued; the target is ${String(TARGET_MS)} ms.`,
    );
    process.exitCode = 1;
  }
}

async function benchWeek(amounts: Amounts): Promise<void> {
  const folder = makeRunFolder('bench-delivery-data');
  const cluster = await startPostgresCluster();
  try {
    if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
    const days = await simulateWeek({
      ...amounts,
      databaseUrl: cluster.url,
      folder: folder.path,
      progress: (what) => {
        console.error(what);
      },
    });
    console.log(`${conditions('bench:delivery')}\n\n${weekTable(days)}`);
  } finally {
    cluster?.stop();
    folder.remove();
  }
}

async function benchRemoval(history: number): Promise<void> {
  const cluster = await startPostgresCluster();
  try {
    if (cluster === undefined) throw new Error('No PostgreSQL server is installed.');
    const { accepted, removed, removalMicros, vacuumMicros } = await measureRemoval({
      databaseUrl: cluster.url,
      history,
      progress: (what) => {
        console.error(what);
      },
    });
    console.log(
      `${conditions('bench:delivery')}\n\n${accepted.toFixed(0)} codes stored and ${removed.toFixed(0)} removed a second; ` +
        `CPU µs for each removed one: ${removalMicros.toFixed(1)}, and ${vacuumMicros.toFixed(1)} of the vacuum`,
    );
  } finally {
    cluster?.stop();
  }
}

/** On a database of its own, in a folder of its own; resolves to undefined where there is no such database. */
async function oneRound(
  start: (folder: string) => Promise<RunDatabase | undefined>,
  amounts: Amounts,
  progress: (what: string) => void,
): Promise<Round | undefined> {
  const folder = makeRunFolder('bench-delivery-data');
  let database: RunDatabase | undefined;
  try {
    database = await start(folder.path);
    if (database === undefined) return undefined;
    return await measureRound({ ...amounts, databaseUrl: database.url, folder: folder.path, progress });
  } finally {
    database?.stop();
    folder.remove();
  }
}

runCommand(command);
