import { Command } from 'commander';

import { conditions, endAfter, runCommand, wholeNumber } from '../../../scripts/harness';
import { measureLists } from './lists';
import { runSoak } from './soak-run';
import { progressLine, table, verdict } from './soak-table';

interface Options {
  readonly quick?: true;
  readonly lists?: true;
  readonly minutes: number;
  readonly seed: number;
}

/** Beyond the requested time, the run may take this long to begin and to end. */
const BEGIN_AND_END_MS = 120_000;
const LIST_SECONDS = 5;

const command = new Command('soak')
  .description(
    'Sends good and bad requests to the whole service on SQLite for some minutes and checks every answer. Fails ' +
      'where one is wrong, or where memory is not flat within 10 % behind the first third of the run.',
  )
  .option('--minutes <number>', 'how long, in minutes', wholeNumber, 10)
  .option('--quick', 'only 20 seconds; memory is not judged')
  .option('--lists', 'instead, how long lists of 10,000 students keep the event loop; a minute')
  .option('--seed <number>', 'decides the order of the requests', wholeNumber, 1)
  .action(soak);

async function soak({ quick, lists, minutes, seed }: Options): Promise<void> {
  const [periods, secondsEach, unit] = quick
    ? ([2, 10, '10 s'] as const)
    : ([minutes, 60, 'Minute'] as const);
  endAfter(periods * secondsEach * 1000 + BEGIN_AND_END_MS);

  if (lists) {
    console.log(`${conditions('soak')}\n\n${await measureLists(LIST_SECONDS)}`);
    return;
  }
  const report = await runSoak({
    periods,
    secondsEach,
    seed,
    progress: (period, number) => {
      console.error(progressLine(period, number));
    },
  });
  const { passed, text } = verdict(report, { judgeMemory: !quick });
  console.log(`${conditions('soak')}\n\n${table(report.periods, unit)}\n\n${text}`);
  if (!passed) process.exitCode = 1;
}

runCommand(command);
