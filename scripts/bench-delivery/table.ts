import { markdownTable, median } from '../harness';
import type { Amounts, Round } from './measure-round';

/** Each line of the table: what it says, and of which figure of the rounds. */
type Row = readonly [title: (amounts: Amounts) => string, cell: (rounds: readonly Round[]) => string];

const ROWS: readonly Row[] = [
  [() => 'Codes accepted, a second', (rounds) => rate(rounds.map((round) => round.acceptedPerSecond))],
  [() => 'Codes delivered, a second', (rounds) => rate(rounds.map((round) => round.codesPerSecond))],
  [() => 'Notes delivered, a second', (rounds) => rate(rounds.map((round) => round.pushesPerSecond))],
  [
    (amounts) =>
      `A note for ${count(amounts.students)} devices: from its call until all its messages are queued`,
    (rounds) => milliseconds(median(rounds.map((round) => round.resolveMs))),
  ],
  [
    () => 'Longest block of the event loop meanwhile',
    (rounds) => milliseconds(median(rounds.map((round) => round.blockedMs))),
  ],
  [
    (amounts) =>
      `A code while ${count(amounts.students)} notes are queued, from its call to the provider: median`,
    (rounds) => milliseconds(median(rounds.flatMap((round) => round.codeMs))),
  ],
  [() => 'The same: the longest', (rounds) => `${milliseconds(slowestCodeMs(rounds))} of ${codesOf(rounds)}`],
  [
    () => 'Used by clients and provider at most',
    (rounds) => `${Math.max(...rounds.map((round) => round.ownCores)).toFixed(2)} cores`,
  ],
];

/** The medians of the rounds as a table in Markdown, a column for each engine. */
export function table(measured: ReadonlyMap<string, readonly Round[]>, amounts: Amounts): string {
  const rows = ROWS.map(([title, cell]) => [title(amounts), ...[...measured.values()].map(cell)]);
  return markdownTable(['', ...measured.keys()], rows, 1);
}

/** Returns the slowest code of all rounds. */
export function slowestCodeMs(rounds: readonly Round[]): number {
  return Math.max(...rounds.flatMap((round) => round.codeMs));
}

function codesOf(rounds: readonly Round[]): string {
  return `${count(rounds.flatMap((round) => round.codeMs).length)} codes`;
}

function rate(perSecond: readonly number[]): string {
  return count(Math.round(median(perSecond)));
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
