import { cpus, release } from 'node:os';

import { type Command, InvalidArgumentError } from 'commander';

/** Reads an option or argument: a whole number from 1, of eight digits at most. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Not a whole number from 1.');
  return Number(text);
}

/** Runs a program; one that fails ends at once: what still hangs or runs does not keep it from its end. */
export function runCommand(command: Command): void {
  command.parseAsync().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

/** Whatever hangs, the program ends. */
export function endAfter(milliseconds: number): void {
  setTimeout(() => {
    console.error('It took too long.');
    process.exit(1);
  }, milliseconds).unref();
}

/**
 * Returns the lines above a table: a figure says nothing without it.
 *
 * @param script - name of this program in package.json
 */
export function conditions(script: string): string {
  const [cpu] = cpus();
  const given = process.argv.slice(2);
  const command = ['npm run', script, ...(given.length > 0 ? ['--', ...given] : [])].join(' ');
  const machine = `${String(cpus().length)} cores of ${cpu?.model ?? 'an unknown processor'}, Linux ${release()}`;
  return `${machine}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, \`${command}\``;
}
