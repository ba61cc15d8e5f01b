import { Command } from 'commander';

import { makeRunFolder, runCommand, wholeNumber } from '../../../scripts/harness';
import { LEASE_SECONDS, runFailovers } from './failover-run';

const command = new Command('test:failover')
  .description(
    'Runs two nodes under load on a primary with a standby, which change places. Fails where a message that was ' +
      'acknowledged is lost with a synchronous standby, is sent again within its lease, or calls fail for more than 15 s.',
  )
  .argument('[rounds]', 'rounds with a synchronous standby; a fifth of them more without', wholeNumber, 30)
  .action(async (rounds: number) => {
    await failOver('synchronous standby', true, rounds);
    await failOver('asynchronous standby', false, Math.ceil(rounds / 5));
  });

/** Longest time without an acknowledged call after an event, in seconds. */
const LONGEST_OUTAGE = 15;
/** A message may be with the provider for a while before its lease ends. */
const SHORTEST_REPETITION = LEASE_SECONDS - 1;

async function failOver(name: string, synchronous: boolean, rounds: number): Promise<void> {
  const { path: folder, remove } = makeRunFolder('failover');
  try {
    const report = await runFailovers({ folder, rounds, synchronous });
    const [soonest] = report.repeatedAfter;
    console.log(
      `${name}: ${String(rounds)} rounds; ${String(report.acknowledged)} calls acknowledged, ` +
        `${String(report.messages)} messages; lost ${String(report.lost)}; sent twice ` +
        `${String(report.repeatedAfter.length)}${soonest === undefined ? '' : `, after ${soonest.toFixed(1)} s at the soonest`}`,
    );
    for (const event of new Set(report.rounds.map((round) => round.name))) {
      const ofEvent = report.rounds.filter((round) => round.name === event);
      const longest = (key: 'calls' | 'ready'): string =>
        Math.max(...ofEvent.map((round) => round[key])).toFixed(1);
      console.log(
        `  ${event}: ${String(ofEvent.length)} times; calls succeed after ${longest('calls')} s at most, ` +
          `both nodes ready after ${longest('ready')} s`,
      );
    }
    const isLate = report.rounds.some(({ calls, ready }) => Math.max(calls, ready) > LONGEST_OUTAGE);
    const isWrong = synchronous && (report.lost > 0 || (soonest ?? Infinity) < SHORTEST_REPETITION);
    if (isLate || isWrong) process.exitCode = 1;
  } finally {
    remove();
  }
}

runCommand(command);
