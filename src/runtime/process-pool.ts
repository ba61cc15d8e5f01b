import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import { kindEnvironment } from './child-kind';
import type { ChildKind, FromChild, Ready, ToChild } from './messages';
import { restartDelay } from './restart-delay';
import { StartError } from './start-error';
import { ToldError } from './told-error';
import { wholeLines } from './whole-lines';

export interface PoolEvents {
  readonly onMessage: (child: Child, message: Exclude<FromChild, Ready>) => void;
  /** Lines of a process's log. */
  readonly onLines: (lines: Buffer) => void;
  /** A process has ended; `replaced` when another takes its place. */
  readonly onEnd: (child: Child, replaced: boolean) => void;
}

export interface Child {
  readonly id: number;
  readonly kind: ChildKind;
  readonly isReady: boolean;
  send(message: ToChild): void;
}

/** The processes of the service beside the primary one: each that dies is replaced until they are to stop. */
export class ProcessPool {
  readonly #logger: Logger;
  readonly #events: PoolEvents;
  readonly #children = new Set<PoolChild>();
  #stopping = false;
  #onEmpty: () => void = () => undefined;

  constructor(logger: Logger, events: PoolEvents) {
    this.#logger = logger;
    this.#events = events;
    // What processes write to one pipe would mix, unless each wrote little at a time.
    cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  }

  /**
   * Starts a process, which is from now on to be there.
   *
   * @returns what it says when it is ready
   * @throws ToldError when it ends before that, StartError when it was ended
   */
  start(kind: ChildKind): Promise<Ready> {
    return new Promise((resolve, reject) => {
      this.#fork(kind, 0, resolve, (signal) => {
        reject(signal === null ? new ToldError() : new StartError(`A process was ended with ${signal}.`));
      });
    });
  }

  /** Those that are ready, of one kind or of all. */
  children(kind?: ChildKind): readonly Child[] {
    return [...this.#children].filter((child) => child.isReady && (kind ?? child.kind) === child.kind);
  }

  /** Has all processes stop in good order, and waits for that. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    for (const child of this.#children) child.send({ kind: 'stop' });
    if (this.#children.size > 0) await empty;
  }

  /** Ends all processes where they stand. */
  kill(): void {
    this.#stopping = true;
    for (const child of this.#children) child.kill();
  }

  #fork(
    kind: ChildKind,
    failures: number,
    onReady: (ready: Ready) => void,
    onFailed?: (signal: string | null) => void,
  ): void {
    const child = new PoolChild(kind, cluster.fork(kindEnvironment(kind)));
    this.#children.add(child);
    child.worker.on('message', (message: FromChild) => {
      if (message.kind === 'ready') {
        child.isReady = true;
        onReady(message);
        if (this.#stopping) child.send({ kind: 'stop' });
      } else this.#events.onMessage(child, message);
    });
    const { stdout } = child.worker.process;
    if (stdout !== null) wholeLines(stdout, this.#events.onLines);
    // Later than 'exit': all that it wrote is read.
    child.worker.process.once('close', (code: number | null, signal: string | null) => {
      this.#children.delete(child);
      const failed = !child.isReady && onFailed !== undefined;
      const replaced = !this.#stopping && !failed;
      this.#events.onEnd(child, replaced);
      if (replaced) void this.#replace(child, failures, { code, signal });
      if (failed) onFailed(signal);
      if (this.#children.size === 0) this.#onEmpty();
    });
  }

  async #replace(
    { kind, worker, startedAt }: PoolChild,
    failures: number,
    end: { readonly code: number | null; readonly signal: string | null },
  ): Promise<void> {
    const next = restartDelay(failures, performance.now() - startedAt);
    const fields = { process: worker.process.pid, kind, ...end, restartInMs: next.delayMs };
    this.#logger.error(fields, 'a process died; another takes its place');
    await delay(next.delayMs);
    if (this.#stopping) return;
    this.#fork(kind, next.failures, () => {
      this.#logger.info({ kind }, 'the process that died is replaced');
    });
  }
}

class PoolChild implements Child {
  readonly kind: ChildKind;
  readonly worker: Worker;
  readonly startedAt = performance.now();
  isReady = false;

  constructor(kind: ChildKind, worker: Worker) {
    this.kind = kind;
    this.worker = worker;
    // A channel that breaks is followed by the end of the process, which is dealt with there.
    worker.on('error', () => undefined);
  }

  get id(): number {
    return this.worker.id;
  }

  send(message: ToChild): void {
    if (this.worker.isConnected()) this.worker.send(message);
  }

  kill(): void {
    this.worker.process.kill('SIGKILL');
  }
}
