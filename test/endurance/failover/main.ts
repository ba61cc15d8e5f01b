import { Command } from 'commander';

import { makeRunFolder, runCommand, wholeNumber } from '../../../scripts/harness';
import { hasPooler } from '../../harness/pooler';
import {
  type FailoverOptions,
  type FailoverReport,
  LEASE_SECONDS,
  type Round,
  runFailovers,
} from './failover-run';

const command = new Command('test:failover')
  .description(
    'Runs two nodes under load on a primary with a standby, which change places, with an import and a bulk retry ' +
      'under way. Fails where a message or receipt that was acknowledged is lost with a synchronous standby, a message ' +
      'is sent again within its lease, an import is loaded in part, or calls fail for too long or without a fault.',
  )
  .argument(
    '[rounds]',
    'rounds with a synchronous standby; fewer without, and with PgBouncer',
    wholeNumber,
    30,
  )
  .option(
    '--patience <factor>',
    'multiplies the time limits, for a machine whose processor others use too',
    wholeNumber,
    1,
  )
  .action(async (rounds: number, { patience }: { patience: number }) => {
    await failOver('synchronous standby', { synchronous: true, rounds }, patience);
    if (hasPooler()) {
      // Without the last, it refuses everyone for 15 s after it failed to reach its server, although that is back.
      const documented = ['ignore_startup_parameters = statement_timeout', 'server_login_retry = 1'];
      const pooler = ['pool_mode = transaction', 'default_pool_size = 20', ...documented];
      const name = 'PgBouncer in transaction mode before both';
      await failOver(name, { synchronous: true, rounds: Math.ceil(rounds / 3), pooler }, patience);
    } else console.log('PgBouncer was not tested: it is not installed.');
    const fewer = Math.max(2, Math.ceil(rounds / 10));
    await failOver('asynchronous standby', { synchronous: false, rounds: fewer }, patience);
  });

/**
 * Longest time after an event until each node uses the primary, without an acknowledged call, and for the answer of a
 * call, in seconds.
 */
const LONGEST_SWITCH = 10;
const LONGEST_OUTAGE = 15;
const LONGEST_CALL = 15;
/** A message may be with the provider for a while before its lease ends. */
const SHORTEST_REPETITION = LEASE_SECONDS - 1;
const FAULT = '500 An error occurred on the server.';

async function failOver(
  name: string,
  options: Omit<FailoverOptions, 'folder'>,
  patience: number,
): Promise<void> {
  const { path: folder, remove } = makeRunFolder('failover');
  try {
    const report = await runFailovers({ ...options, folder });
    console.log(`${name}: ${String(report.rounds.length)} rounds; ${summaryOf(report)}`);
    for (const event of new Set(report.rounds.map((round) => round.event))) {
      const rounds = report.rounds.filter((round) => round.event === event);
      const longest = (key: 'calls' | 'ready' | 'slowest'): string =>
        Math.max(...rounds.map((round) => round[key])).toFixed(1);
      console.log(
        `  ${event.name}: ${String(rounds.length)} times; calls succeed after ${longest('calls')} s at most, ` +
          `both nodes ready after ${longest('ready')} s, slowest answer ${longest('slowest')} s, ` +
          `${String(refusedIn(rounds))} calls refused`,
      );
    }
    for (const defect of defectsOf(report, options.synchronous, patience)) {
      console.log(`  WRONG: ${defect}`);
      process.exitCode = 1;
    }
  } finally {
    remove();
  }
}

function refusedIn(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { refused }) => sum + refused, 0);
}

function summaryOf(report: FailoverReport): string {
  const [soonest] = report.repeatedAfter;
  const imports = report.rounds.flatMap(({ operator }) => operator.importFailure ?? []);
  const retries = report.rounds.filter(({ operator }) => operator.retryFailed);
  const repeated = soonest === undefined ? '' : `, after ${soonest.toFixed(1)} s at the soonest`;
  return [
    `${String(report.acknowledged)} calls acknowledged, ${String(refusedIn(report.rounds))} refused`,
    `${String(report.messages)} messages, lost ${String(report.lost)}`,
    `sent twice ${String(report.repeatedAfter.length)}${repeated}`,
    `${String(report.receipts)} receipts, lost ${String(report.receiptsLost)}`,
    `imports repeated ${String(imports.length)}, retries repeated ${String(retries.length)}`,
  ].join('; ');
}

function defectsOf(report: FailoverReport, synchronous: boolean, patience: number): readonly string[] {
  const { rounds, refusals, lost, receiptsLost, repeatedAfter } = report;
  const late = rounds.filter(
    ({ calls, ready }) => calls > LONGEST_OUTAGE * patience || ready > LONGEST_SWITCH * patience,
  );
  const unclear = [...refusals.keys()].filter((refusal) => refusal !== FAULT);
  const [soonest = Infinity] = synchronous ? repeatedAfter : [];
  return [
    ...late.map(({ event }) => `calls failed for too long: ${event.name}`),
    ...rounds.flatMap(({ event, slowest }) =>
      slowest > LONGEST_CALL * patience ? `a call waited for ${slowest.toFixed(1)} s: ${event.name}` : [],
    ),
    ...rounds.flatMap(({ event, isNamed }) =>
      isNamed ? [] : `the console does not name the primary: ${event.name}`,
    ),
    ...unclear.map((refusal) => `calls were answered with ${refusal}`),
    ...rounds.flatMap(({ event, operator }) =>
      operator.importDefect === undefined ? [] : `${event.name}: import: ${operator.importDefect}`,
    ),
    ...rounds.flatMap(({ event, operator }) =>
      operator.importFailure?.startsWith('Error') === false
        ? `${event.name}: import ended with ${operator.importFailure}`
        : [],
    ),
    ...(synchronous && lost > 0 ? [`${String(lost)} messages lost`] : []),
    ...(synchronous && receiptsLost > 0 ? [`${String(receiptsLost)} receipts lost`] : []),
    ...(soonest < SHORTEST_REPETITION ? ['a message was sent again within its lease'] : []),
  ];
}

runCommand(command);
