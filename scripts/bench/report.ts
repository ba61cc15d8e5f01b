import { LOADS } from '../run/loads';
import type { Measurement } from './measure';
import { type TargetName, TARGETS } from './targets';

const ALL_TARGETS = Object.keys(TARGETS) as TargetName[]; // The table's own keys.
const MEBIBYTE = 1024 * 1024;

const HEAD = [
  '| Load | Target | CPU µs a request | of bare `node:http` | cheaper than node-soap | requests/s | core busy | p50 ms | p99 ms | MiB |',
  '| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |',
] as const;

/** The measurements as a table in Markdown, with the loads in their order. */
export function table(byLoad: ReadonlyMap<string, readonly Measurement[]>): string {
  return [...HEAD, ...[...byLoad].flatMap(([load, list]) => rows(load, list))].join('\n');
}

/** What one request costs each target, a row for each load. */
export function summary(byLoad: ReadonlyMap<string, readonly Measurement[]>): string {
  const names = new Set([...byLoad.values()].flat().map(({ target }) => target));
  const targets = ALL_TARGETS.filter((name) => names.has(name));
  const head = ['CPU µs a request', ...targets.map((name) => TARGETS[name].title)];
  return [
    `| ${head.join(' | ')} |`,
    `| --- |${' --: |'.repeat(targets.length)}`,
    ...[...byLoad].map(([load, list]) => {
      const cells = targets.map((name) => {
        const own = list.find(({ target }) => target === name);
        return own === undefined ? '' : own.cpuMicros.toFixed(own.cpuMicros < 100 ? 1 : 0);
      });
      return `| ${[LOADS[load]?.title ?? load, ...cells].join(' | ')} |`;
    }),
  ].join('\n');
}

function rows(load: string, list: readonly Measurement[]): readonly string[] {
  const cpuOf = (name: string): number | undefined => list.find(({ target }) => target === name)?.cpuMicros;
  return list.map((each) => {
    const { target, cpuMicros, databaseMicros, requestsPerSecond, p50Micros, p99Micros, residentBytes } =
      each;
    const database = databaseMicros > 0 ? ` + ${databaseMicros.toFixed(0)} in PostgreSQL` : '';
    const cells = [
      LOADS[load]?.title ?? load,
      TARGETS[target].title,
      cpuMicros.toFixed(1) + database,
      ratio(cpuOf('bare'), cpuMicros),
      target === 'bare' ? '' : ratio(cpuOf('stock'), cpuMicros),
      requestsPerSecond.toFixed(0),
      // Far from 100 %, something else was the limit: the generator, the disk, other programs.
      `${((cpuMicros * requestsPerSecond) / 10_000).toFixed(0)} %`,
      (p50Micros / 1000).toFixed(2),
      (p99Micros / 1000).toFixed(2),
      (residentBytes / MEBIBYTE).toFixed(0),
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

function ratio(other: number | undefined, own: number): string {
  return other === undefined ? '' : (other / own).toFixed(2);
}
