import { LOADS } from '../run/loads';
import type { Measurement } from './measure';
import { TARGETS } from './targets';

const MEBIBYTE = 1024 * 1024;

const HEAD = [
  '| Load | Target | CPU µs a request | of bare `node:http` | cheaper than node-soap | requests/s | core busy | p50 ms | p99 ms | MiB |',
  '| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |',
] as const;

/** The measurements as a table in Markdown, with the loads in their order. */
export function table(byLoad: ReadonlyMap<string, readonly Measurement[]>): string {
  return [...HEAD, ...[...byLoad].flatMap(([load, list]) => rows(load, list))].join('\n');
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
