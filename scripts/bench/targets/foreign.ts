import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { atExit } from '../../harness';
import { BENCH_SCHOOLS } from '../../harness/load';

/** Writes the students of all schools, a line each, for a server that is not ours; returns the file. */
export function writeLists(folder: string): string {
  const lines = BENCH_SCHOOLS.flatMap(({ url, students }) =>
    students.map(({ id, fullName, device }) => `${[url, id, fullName, device].join('\t')}\n`),
  );
  const file = join(folder, 'lists.tsv');
  writeFileSync(file, lines.join(''));
  return file;
}

/** Runs a server that is not ours, which says itself where it listens; this process ends with it. */
export function runForeign(program: string, args: readonly string[]): void {
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  atExit(() => server.kill('SIGKILL'));
  process.once('SIGTERM', () => {
    process.exit();
  });
  server.once('exit', (code) => {
    process.exit(code ?? 1);
  });
}
