import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { Presets, SingleBar } from 'cli-progress';
import { Command } from 'commander';

import { runCommand, wholeNumber } from '../../scripts/harness';
import { runWorlds } from './run-worlds';
import type { Finding } from './simulate';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly processes: number;
}

/** This number of the last events of a world that broke a promise are shown. */
const SHOWN_EVENTS = 60;

/** In the log of a long run, its progress is a line now and then. */
const LOG_EVERY_MS = 60_000;

const command = new Command('simulate')
  .description(
    'Runs the delivery in simulated worlds: with providers, a store, processes and clocks that fail as a seed says. ' +
      'Fails where a message is lost, sent twice without reason, at night or too late, or never comes to an end.',
  )
  .option('--seeds <number>', 'how many worlds', wholeNumber, 1000)
  .option('--from <seed>', 'the first seed', wholeNumber, 1)
  .option('--processes <number>', 'how many run at once', wholeNumber, availableParallelism())
  .action(simulate);

async function simulate({ seeds, from, processes }: Options): Promise<void> {
  // Should it end before it is done.
  process.exitCode = 1;
  const bar = new SingleBar(
    {
      format: '{bar} {value}/{total} worlds | {messages} messages | {eta_formatted}',
      stopOnComplete: true,
      noTTYOutput: true,
      notTTYSchedule: LOG_EVERY_MS,
    },
    Presets.shades_classic,
  );
  const broken: number[] = [];
  let messages = 0;
  bar.start(seeds, 0, { messages });
  const program = join(__dirname, 'world-process.js');
  await runWorlds({ from, seeds, processes, program }, (world) => {
    messages += world.messages;
    bar.increment(1, { messages });
    if (world.finding === undefined) return;
    broken.push(world.finding.seed);
    show(world.finding);
  });
  bar.stop();
  console.log(
    `${String(seeds)} worlds from seed ${String(from)}, ${String(messages)} messages; promises broken in ` +
      `${String(broken.length)}${broken.map((seed) => `, ${String(seed)}`).join('')}.`,
  );
  process.exitCode = broken.length > 0 ? 1 : 0;
}

function show({ seed, what, events }: Finding): void {
  console.log(`\nseed ${String(seed)}: ${what}`);
  for (const event of events.slice(-SHOWN_EVENTS)) console.log(event);
}

runCommand(command);
