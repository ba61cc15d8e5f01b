import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runWorlds, type WorldReport } from './run-worlds';
import { useFolder } from '../harness/use-folder';

/** Sends a report of each world; one waits for what never happens, one ends the process. */
const PROGRAM = `
  const [from, worlds, step] = process.argv.slice(2).map(Number);
  (async () => {
    for (let world = 0; world < worlds; world += 1) {
      const seed = from + world * step;
      if (seed === 13) await new Promise(() => undefined);
      if (seed === 16) process.exit(3);
      process.send({ seed, messages: 1 });
    }
  })();`;

const folder = useFolder();

it('runs each world once, and reports a world that never ends', async () => {
  const program = join(folder, 'program.js');
  writeFileSync(program, PROGRAM);
  const reports: WorldReport[] = [];
  await runWorlds({ from: 10, seeds: 9, processes: 2, program }, (report) => reports.push(report));

  const seeds = reports.map(({ seed }) => seed).sort((one, other) => one - other);
  expect(seeds).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18]);
  const findings = new Map(reports.map(({ seed, finding }) => [seed, finding?.what]));
  expect(findings.get(13)).toBe('does not come to an end: its process ended before (exit code 0)');
  expect(findings.get(16)).toBe('does not come to an end: its process ended before (exit code 3)');
  expect(reports.filter(({ finding }) => finding !== undefined)).toHaveLength(2);
});
