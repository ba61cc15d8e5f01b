import { cpus, release } from 'node:os';

/**
 * What stands above a table: a figure says nothing without it.
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
