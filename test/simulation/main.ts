import { Presets, SingleBar } from 'cli-progress';
import { Command } from 'commander';

import { runCommand, wholeNumber } from '../../scripts/harness';
import { type Finding, Simulation } from './simulate';

interface Options {
  readonly seeds: number;
  readonly from: number;
}

/** Of a world that broke a promise, so many of the last things that happened are shown. */
const SHOWN_EVENTS = 60;

const command = new Command('simulate')
  .description(
    'Runs the delivery in simulated worlds: with providers, a store, processes and clocks that fail as a seed says. ' +
      'Fails where a message is lost, sent twice without reason, at night or too late, or never comes to an end.',
  )
  .option('--seeds <number>', 'how many worlds', wholeNumber, 1000)
  .option('--from <seed>', 'the first seed', wholeNumber, 1)
  .action(simulate);

async function simulate({ seeds, from }: Options): Promise<void> {
  const simulation = await Simulation.open();
  const bar = new SingleBar(
    {
      format: '{bar} {value}/{total} worlds | {messages} messages | {eta_formatted}',
      stopOnComplete: true,
      noTTYOutput: false,
    },
    Presets.shades_classic,
  );
  const findings: Finding[] = [];
  let messages = 0;
  bar.start(seeds, 0, { messages });
  for (let seed = from; seed < from + seeds; seed += 1) {
    const report = await simulation.run(seed);
    messages += report.messages;
    if (report.finding !== undefined) findings.push(report.finding);
    bar.increment(1, { messages });
  }
  bar.stop();
  await simulation.close();
  for (const { seed, what, events } of findings) {
    console.log(`\nseed ${String(seed)}: ${what}`);
    for (const event of events.slice(-SHOWN_EVENTS)) console.log(event);
  }
  console.log(
    `${String(seeds)} worlds from seed ${String(from)}, ${String(messages)} messages; promises broken in ` +
      `${String(findings.length)}${findings.map(({ seed }) => `, ${String(seed)}`).join('')}.`,
  );
  if (findings.length > 0) process.exitCode = 1;
}

runCommand(command);
