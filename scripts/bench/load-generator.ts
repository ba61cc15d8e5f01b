import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { LoadResult } from '../harness/load';
import { GO, type LoadReport, type LoadTask } from './generator/messages';
import { GENERATOR_CORE } from './pinning';

/**
 * Sends the requests, from a process and a core of its own.
 *
 * It speaks over raw sockets and knows exactly the answers it expects: autocannon needs 50 microseconds and more
 * for a request, and then the generator is what is measured, not the server, which needs 20.
 */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor(pinned: boolean) {
    const program = [process.execPath, join(__dirname, 'generator', 'main.js')];
    const [command = '', ...args] = pinned ? ['taskset', '-c', String(GENERATOR_CORE), ...program] : program;
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /**
   * @param begin - called when the connections are ready, before the requests that count
   * @throws Error where an answer is not the expected one
   */
  async run(task: LoadTask, begin: () => void): Promise<LoadResult> {
    this.#child.send(task);
    for (;;) {
      const report = await this.#nextReport();
      if ('error' in report) throw new Error(report.error);
      if ('result' in report) return report.result;
      begin();
      this.#child.send(GO);
    }
  }

  async #nextReport(): Promise<LoadReport> {
    const ended = new AbortController();
    const exit = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('The load generator ended.');
    });
    try {
      const answered = once(this.#child, 'message', { signal: ended.signal });
      const [report] = (await Promise.race([answered, exit])) as [LoadReport]; // All it ever sends.
      return report;
    } finally {
      ended.abort();
      exit.catch(() => undefined);
    }
  }

  close(): void {
    this.#child.disconnect();
  }
}
