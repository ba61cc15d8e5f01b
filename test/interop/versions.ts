import { runCommand } from './run-command';

/**
 * The first version in what a command prints of itself, without what changes from patch to patch: `6.8`.
 *
 * @throws Error where it prints none
 */
export async function versionOf(command: string, ...args: readonly string[]): Promise<string> {
  return minorOf(await runCommand(command, args, { folder: '.' }));
}

/** The first version in a text, likewise. */
export function minorOf(text: string): string {
  const [version] = /\d+\.\d+/.exec(text) ?? [];
  if (version === undefined) throw new Error(`No version in ${JSON.stringify(text)}`);
  return version;
}
