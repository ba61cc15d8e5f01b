import { loadavg } from 'node:os';

import { Command, InvalidArgumentError, Option } from 'commander';

import { conditions, runCommand, wholeNumber } from '../harness';
import { BENCH_STUDENTS, LOADS, makeDatabases } from '../harness/load';
import { GENERATOR_CORE, LoadGenerator, pinSelf } from './load-generator';
import { measure, type Measurement, type Pace } from './measure';
import { perByte, summary, table } from './report';
import { type TargetName, TARGETS } from './targets';
import { Wrk } from './wrk';

interface Options {
  readonly quick?: true;
  readonly wrk?: true;
  readonly seconds: number;
  readonly rounds: number;
  readonly starts: number;
  readonly loads: readonly string[];
  readonly targets: readonly TargetName[];
  readonly ended: number;
  readonly students: number;
  readonly callers?: number;
}

const ALL_LOADS = Object.keys(LOADS);
const ALL_TARGETS = Object.keys(TARGETS) as TargetName[]; // The table's own keys.
const WARM_UP_ANSWERS = 10_000;
/** Shows that everything runs; its figures say nothing. */
const QUICK: Omit<Pace, 'students'> = { seconds: 0.3, warmUpAnswers: 0, rounds: 1, starts: 1 };

const command = new Command('bench')
  .description('Measures what a request costs, in turns with other servers, and prints a table in Markdown.')
  .option('--quick', 'only show that it runs, in some two minutes')
  .option('--wrk', 'let wrk be the caller; samples are then of whole seconds')
  .option('--seconds <number>', 'length of one sample, in seconds', positiveNumber, 0.25)
  .option(
    '--rounds <number>',
    'samples of each target under each load, from each of its starts',
    positiveNumber,
    48,
  )
  .option('--starts <number>', 'how often each target is started for each load', positiveNumber, 1)
  .addOption(listOption('--loads', ALL_LOADS))
  .addOption(listOption('--targets', ALL_TARGETS))
  .option('--students <number>', 'students in the databases', wholeNumber, BENCH_STUDENTS)
  .option(
    '--ended <number>',
    'messages that came to their end in the databases of sqlite-ended and postgres-ended; 0 leaves these two out',
    wholeNumber,
    0,
  )
  .option(
    '--callers <number>',
    'connections over which is asked, each after its answer (default: as many as are usual for a load)',
    wholeNumber,
  )
  .addHelpText(
    'after',
    '\nEARLIER=FOLDER names a built checkout, whose protocol the target earlier measures.',
  )
  .action(compare);

async function compare(options: Options): Promise<void> {
  const { quick, wrk, seconds, rounds, starts, loads, targets, ended, students, callers } = options;
  const pace = {
    ...(quick ? QUICK : { seconds, rounds, starts, warmUpAnswers: WARM_UP_ANSWERS }),
    callers,
    students,
  };
  const pinned = pinSelf();
  if (!pinned) console.error('Without two cores and taskset, server and load generator share what there is.');
  console.error(`Load of the machine before the start: ${(loadavg()[0] ?? 0).toFixed(2)}`);
  const databases = await makeDatabases({
    postgres: targets.some((name) => TARGETS[name].onPostgres),
    ended,
    students,
  });
  const generator = wrk
    ? new Wrk(databases.folder, pinned ? GENERATOR_CORE : undefined)
    : new LoadGenerator(pinned);
  try {
    const measured = new Map<string, readonly Measurement[]>();
    for (const load of loads) {
      console.error(`${load} ...`);
      measured.set(load, await measure(load, targets, databases, generator, pace));
    }
    const parts = [conditions('bench'), table(measured), summary(measured), perByte(measured)];
    console.log(parts.filter((part) => part !== undefined).join('\n\n'));
  } finally {
    databases.close();
    generator.close();
  }
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Not a number above 0.');
  return value;
}

function listOption(flag: string, all: readonly string[]): Option {
  return new Option(`${flag} <names>`, `of ${all.join(', ')}; separated by commas`)
    .default(all, 'all')
    .argParser((text) => {
      const names = text.split(',');
      const wrong = names.find((name) => !all.includes(name));
      if (wrong !== undefined) throw new InvalidArgumentError(`There is no ${wrong}.`);
      return names;
    });
}

runCommand(command);
