import type { Client } from './client';
import { findCommand, runCommand } from './run-command';

/** Returns what a client needs and this machine does not have, by name. */
export async function missingFor({ tools, modules = [] }: Client): Promise<readonly string[]> {
  const missing = tools.filter((tool) => findCommand(tool) === undefined);
  if (missing.length > 0) return missing;
  const found = await Promise.all(
    modules.map(async ({ name, command: [command, ...args] }) => {
      try {
        await runCommand(command, args, { folder: '.' });
        return [];
      } catch {
        return [name];
      }
    }),
  );
  return found.flat();
}
