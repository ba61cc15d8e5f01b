import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Generators start a virtual machine and fetch their input; a machine that is busy takes a minute for it. */
const COMMAND_TIMEOUT_MS = 180_000;

export interface CommandOptions {
  /** Working directory. */
  readonly folder: string;
  /** Beside the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a command to its end.
 *
 * @returns what it wrote to standard output
 * @throws Error with all that it wrote when it fails or takes longer than three minutes
 */
export function runCommand(
  command: string,
  args: readonly string[],
  { folder, environment = {} }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      { cwd: folder, env: { ...process.env, ...environment }, timeout: COMMAND_TIMEOUT_MS },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${command} failed: ${error.message}\n${stdout}${stderr}`.trim()));
      },
    );
  });
}

/** The file of a command, by its name on the PATH or by its path; or undefined. */
export function findCommand(command: string): string | undefined {
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
