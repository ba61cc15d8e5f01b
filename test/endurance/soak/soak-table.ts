import { markdownTable } from '../../../scripts/harness';
import { mean, type Period, type SoakReport } from './soak-run';

/** How far memory may be from what it was, of that. */
const FLAT = 0.1;
const MEBIBYTE = 1024 * 1024;

const COLUMNS: readonly (readonly [title: string, cell: (period: Period) => string])[] = [
  ['Requests/s', ({ requestsPerSecond }) => whole(requestsPerSecond)],
  ['Memory, mean', ({ residentBytes }) => mebibytes(residentBytes)],
  ['Event-loop delay, p99', ({ p99Ms }) => milliseconds(p99Ms)],
  ['Longest', ({ longestMs }) => milliseconds(longestMs)],
  ['Wrong answers', ({ wrong }) => whole(wrong)],
];

/** One line while it runs. */
export function progressLine(period: Period, number: number): string {
  const figures = COLUMNS.map(([title, cell]) => `${title.toLowerCase()} ${cell(period)}`);
  return `${String(number)}: ${figures.join(', ')}`;
}

/** All periods as a table in Markdown. */
export function table(periods: readonly Period[], unit: string): string {
  const rows = periods.map((period, at) => [String(at + 1), ...COLUMNS.map(([, cell]) => cell(period))]);
  return markdownTable([unit, ...COLUMNS.map(([title]) => title)], rows, 0);
}

export interface Verdict {
  readonly passed: boolean;
  readonly text: string;
}

/** Returns what the run shows; memory is judged behind its first third, in which the service comes to its size. */
export function verdict(
  { requests, wrong, errors, memory, periods }: SoakReport,
  { judgeMemory }: { readonly judgeMemory: boolean },
): Verdict {
  const third = Math.floor(memory.length / 3);
  const before = mean(memory.slice(third, 2 * third));
  const after = mean(memory.slice(2 * third));
  const isFlat = Math.abs(after / before - 1) <= FLAT;
  const memoryText =
    `Memory, mean of the second third and of the last: ${mebibytes(before)}, ${mebibytes(after)}` +
    (judgeMemory ? `: ${isFlat ? '' : 'not '}flat within ${String(FLAT * 100)} %` : '');
  const longestMs = Math.max(...periods.map((period) => period.longestMs));
  return {
    passed: wrong === 0 && (isFlat || !judgeMemory),
    text: [
      `Requests: ${whole(requests)}; answers that were wrong: ${whole(wrong)}`,
      ...errors.map((error) => `  ${error}`),
      memoryText,
      `Longest delay of the event loop: ${milliseconds(longestMs)}`,
    ].join('\n'),
  };
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function mebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
