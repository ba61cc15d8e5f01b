import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Config } from '../config';
import { PACKAGE_ROOT } from '../support/package-root';

/** The program, whose commands do the work. */
export const PROGRAM = join(PACKAGE_ROOT, 'dist', 'main.js');
/** Limit on a command's own memory, in MB, below that of the unit: an import of a million rows needs 180. */
const MAX_HEAP_MB = 512;
const OUT_OF_MEMORY = `The command needs more than ${String(MAX_HEAP_MB)} MB of memory. Use smaller files.`;

interface RunOptions {
  readonly signal: AbortSignal;
  /** Name for the record of the import. */
  readonly who?: string;
  /** Receives what the command reports of itself. */
  readonly onMessage?: (message: unknown) => void;
}

/**
 * Runs a command on the database in a process of its own, which leaves this one free for requests.
 *
 * @returns its exit code, what it printed, and the last line of its errors
 */
export async function runProgram(
  program: string,
  { DATABASE_URL }: Config,
  args: readonly string[],
  { signal, who = 'service', onMessage }: RunOptions,
): Promise<{ readonly code: number | null; readonly out: string; readonly problem: string }> {
  const child = spawn(process.execPath, [`--max-old-space-size=${String(MAX_HEAP_MB)}`, program, ...args], {
    env: { ...process.env, DATABASE_URL, DATABASE_URL_FILE: '', AUDIT_WHO: who },
    // The command ends when the channel does.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
  });
  if (onMessage !== undefined) child.on('message', onMessage);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const outputOf = (stream: Readable | null) => (stream === null ? '' : text(stream));
  const [code, out, errors] = await Promise.all([ended, outputOf(child.stdout), outputOf(child.stderr)]);
  if (errors.includes('heap out of memory')) return { code, out, problem: OUT_OF_MEMORY };
  return { code, out, problem: STACK.test(errors) ? UNEXPECTED : lastError(errors) };
}

const STACK = /^ +at /m;
/** Replaces an error of the program itself, which says nothing to an operator. */
const UNEXPECTED = 'The command failed unexpectedly. Run it in a shell to see its error.';

function lastError(errors: string): string {
  return (errors.trim().split('\n').at(-1) ?? '').replace(/^Error: /, '');
}
