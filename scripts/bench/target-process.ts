import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { type Usage, usageOf } from './process-usage';

const STOP_TIMEOUT_MS = 10_000;
const LISTENS = /listens on http:\/\/\S+?:(\d+)/;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A server to be measured, as a process of its own. */
export class TargetProcess {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /**
   * Starts a program and waits until it says on standard error that it listens. Standard output, the log, is
   * written but kept by nobody.
   */
  static async start(program: string, env: Readonly<Record<string, string>>): Promise<TargetProcess> {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let errors = '';
    return new Promise((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
        const [, port] = LISTENS.exec(errors) ?? [];
        if (port !== undefined) resolve(new TargetProcess(child, Number(port)));
      });
      child.once('exit', () => {
        reject(new Error(`${program} did not start: ${errors}`));
      });
    });
  }

  get usage(): Usage {
    return usageOf(this.#child.pid ?? 0);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  }
}
