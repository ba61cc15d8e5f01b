import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { on } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import type { LoadOptions, LoadResult } from '../harness/load';

const SERVER_CORE = 0;
export const GENERATOR_CORE = 1;

/** Returns true if servers and load generator can have a core each; with one core, or without taskset, they share. */
export function pinSelf(): boolean {
  if (availableParallelism() < 2) return false;
  try {
    // Whatever this process starts from now on inherits its core.
    execFileSync('taskset', ['-acp', String(SERVER_CORE), String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Describes what the load generator is asked to do. */
export interface LoadTask extends LoadOptions {
  /** Key of LOADS. */
  readonly load: string;
  /** How many students the databases hold. */
  readonly students: number;
}

/** Describes what it answers: first that its connections are ready, then, once it has run, how it went. */
export type LoadReport =
  { readonly ready: true } | { readonly result: LoadResult } | { readonly error: string };

/** Puts a server under load. */
export interface Caller {
  /**
   * @param begin - called when all is ready, before the requests that count
   * @throws Error for an answer that is not the expected one
   */
  run(task: LoadTask, begin: () => void): Promise<LoadResult>;
  close(): void;
}

/**
 * Sends the requests, from a process and a core of its own.
 *
 * It speaks over raw sockets and knows exactly the answers it expects: autocannon needs 50 microseconds and more
 * for a request, and then the generator is what is measured, not the server, which needs 20.
 */
export class LoadGenerator implements Caller {
  readonly #child: ChildProcess;

  constructor(pinned: boolean) {
    const program = [process.execPath, join(__dirname, 'load-generator-process.js')];
    const [command = '', ...args] = pinned ? ['taskset', '-c', String(GENERATOR_CORE), ...program] : program;
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  async run(task: LoadTask, begin: () => void): Promise<LoadResult> {
    this.#child.send(task);
    // All it ever sends are reports.
    const reports = on(this.#child, 'message', { close: ['exit'] }) as AsyncIterable<[LoadReport]>;
    for await (const [report] of reports) {
      if ('error' in report) throw new Error(report.error);
      if ('result' in report) return report.result;
      begin();
      this.#child.send('go');
    }
    throw new Error('The load generator ended.');
  }

  close(): void {
    this.#child.disconnect();
  }
}
