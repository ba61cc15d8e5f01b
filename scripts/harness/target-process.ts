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
  #errors = '';
  #port = 0;
  #onChange: () => void = () => undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
      this.#onChange();
    });
    child.once('close', () => {
      this.#onChange();
    });
  }

  /**
   * Starts a program and waits until it says on standard error that it listens. Standard output, the log, is
   * written but kept by nobody.
   *
   * @param nodeOptions - options for Node itself
   */
  static async start(
    program: string,
    env: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ): Promise<TargetProcess> {
    const child = spawn(process.execPath, [...nodeOptions, program], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const target = new TargetProcess(child);
    target.#port = Number(await target.says(LISTENS));
    return target;
  }

  get port(): number {
    return this.#port;
  }

  /**
   * Waits until it has said this on standard error, and returns the first group.
   *
   * @throws Error when it ends before
   */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#errors);
      if (match !== null) return match[1] ?? '';
      if (this.#hasEnded) throw new Error(`The process ended: ${this.#errors}`);
      await new Promise<void>((resolve) => (this.#onChange = resolve));
    }
  }

  get usage(): Usage {
    return usageOf(this.#child.pid ?? 0);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
