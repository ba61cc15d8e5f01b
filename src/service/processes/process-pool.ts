import cluster, { type Worker } from 'node:cluster';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import type { Settings, ReloadFailure } from '../../config';
import type { MessageChannel } from '../../store';
import { OperatorError } from '../../support/errors';
import type { MetricsSnapshot } from '../../telemetry';
import type { Served } from '../announce-start';

export type ChildKind = 'web' | 'delivery';

const KIND_VARIABLE = 'SERVICE_PROCESS_KIND';
const PARENT_VARIABLE = 'SERVICE_PARENT_PID';

export function childKind(): ChildKind {
  return process.env[KIND_VARIABLE] === 'delivery' ? 'delivery' : 'web';
}

/** Returns the id of the process that started this one. */
export function parentPid(): number {
  return Number(process.env[PARENT_VARIABLE]);
}

/**
 * Settings for the process. `start` is always the first message. `catch-up` is for what was reloaded while it
 * started, and has no answer, which the next round would take for its own.
 */
export interface OfSettings {
  readonly kind: 'start' | 'reload' | 'catch-up';
  readonly texts: Settings['texts'];
}

export type ToChild =
  | OfSettings
  | { readonly kind: 'stop' }
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'alerts'; readonly alerts: readonly string[] }
  | { readonly kind: 'send-metrics' };

interface Ready {
  readonly kind: 'ready';
  readonly served: Served;
}

export type FromChild =
  | Ready
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'reloaded'; readonly wrong: readonly ReloadFailure[] }
  | { readonly kind: 'metrics'; readonly snapshot: MetricsSnapshot };

const LINE_END = 0x0a;

/** A child process, with its channel. */
class PoolProcess {
  readonly worker: Worker;
  readonly startedAt = performance.now();
  isReady = false;
  /** True if files were reloaded while it was starting: it may have read the old ones. */
  hasMissedReload = false;

  /** @param texts - its settings, whatever their files contain by now */
  constructor(
    readonly kind: ChildKind,
    texts: Settings['texts'],
  ) {
    this.worker = cluster.fork({ [KIND_VARIABLE]: kind, [PARENT_VARIABLE]: String(process.pid) });
    // An error of the channel is followed by the end of the process, which is handled there.
    this.worker.on('error', () => undefined);
    this.send({ kind: 'start', texts });
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

  onLines(write: (lines: Buffer) => void): void {
    const { stdout } = this.worker.process;
    if (stdout !== null) wholeLines(stdout, write);
  }
}

/**
 * Forwards a stream in blocks that end with a line, so that lines of several streams do not mix. An
 * incomplete last line is dropped.
 */
export function wholeLines(source: Readable, write: (lines: Buffer) => void): void {
  let begun: Buffer[] = [];
  source.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      const lines = bytes.subarray(0, end);
      write(begun.length === 0 ? lines : Buffer.concat([...begun, lines]));
      begun = [];
    }
    if (end < bytes.length) begun.push(bytes.subarray(end));
  });
}

/** Sends a question to processes, and waits until all have answered or ended. */
export class Round<Answer> {
  readonly #withinMs: number | undefined;
  readonly #awaited = new Set<number>();
  #answers: Answer[] = [];
  #onDone: () => void = () => undefined;

  /** @param withinMs - time limit for answers; default: none */
  constructor(withinMs?: number) {
    this.#withinMs = withinMs;
  }

  /** Must not be called before the previous round is done. Resolves with the answers that arrived in time. */
  async ask(children: readonly PoolProcess[], question: ToChild): Promise<readonly Answer[]> {
    if (children.length === 0) return [];
    this.#answers = [];
    const done = new Promise<void>((resolve) => (this.#onDone = resolve));
    const late = this.#withinMs === undefined ? undefined : setTimeout(this.#onDone, this.#withinMs);
    for (const { id } of children) this.#awaited.add(id);
    for (const child of children) child.send(question);
    await done;
    clearTimeout(late);
    this.#awaited.clear();
    return this.#answers;
  }

  take(id: number, answer: Answer): void {
    this.#answers.push(answer);
    this.ended(id);
  }

  /** Stops waiting for a process that has ended. */
  ended(id: number): void {
    this.#awaited.delete(id);
    if (this.#awaited.size === 0) this.#onDone();
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** Number of processes in a row that may be killed while they start, for example because memory is short. */
const MAX_KILLED_STARTS = 5;
/** A process that lived this long did not die of its start. */
const SOUND_AFTER_MS = 60_000;

/** Thrown when the service cannot start and the failed process has already reported the reason. */
export class AlreadyReportedError extends Error {
  override readonly name = 'AlreadyReportedError';
}

interface PoolEvents {
  readonly onMessage: (child: PoolProcess, message: Exclude<FromChild, Ready>) => void;
  readonly onLines: (lines: Buffer) => void;
  /** Called when a process has ended; `replaced` is true if another one takes its place. */
  readonly onEnd: (child: PoolProcess, replaced: boolean) => void;
}

interface Starting {
  /** Number of successive processes in its place that died soon after their start. */
  readonly failures: number;
  /**
   * Holds what waits for the first process in its place; undefined once one was ready: then it is replaced
   * until it is.
   */
  readonly waiting?:
    | {
        readonly onReady: (served: Served) => void;
        readonly onFailed: (signal: string | null) => void;
      }
    | undefined;
  /** True if another one died in its place. */
  readonly isReplacement?: boolean;
}

/** The child processes of the service: each one that dies is replaced until the pool is stopped. */
export class ProcessPool {
  readonly #logger: Logger;
  readonly #events: PoolEvents;
  readonly #settings: () => Settings['texts'];
  readonly #children = new Set<PoolProcess>();
  #stopping = false;
  #onEmpty: () => void = () => undefined;

  /** @param settings - settings for new processes */
  constructor(logger: Logger, settings: () => Settings['texts'], events: PoolEvents) {
    this.#settings = settings;
    this.#logger = logger;
    this.#events = events;
    // Several processes that write large blocks to one pipe would mix them.
    cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  }

  /**
   * Starts a process and keeps it running.
   *
   * @returns its services, when it is ready
   * @throws AlreadyReportedError if it ends before that, OperatorError if it is killed again and again
   */
  start(kind: ChildKind): Promise<Served> {
    return new Promise((resolve, reject) => {
      const onFailed = (signal: string | null): void => {
        reject(
          signal === null
            ? new AlreadyReportedError()
            : new OperatorError(`A process was killed by ${signal}.`),
        );
      };
      this.#fork(kind, { failures: 0, waiting: { onReady: resolve, onFailed } });
    });
  }

  /** Returns the ready processes, of one kind or of all. */
  children(kind?: ChildKind): readonly PoolProcess[] {
    return [...this.#children].filter((child) => child.isReady && (kind ?? child.kind) === child.kind);
  }

  /** Marks starting processes, which receive no messages yet, to reload their files once they are ready. */
  reloadStarting(): void {
    for (const child of this.#children) if (!child.isReady) child.hasMissedReload = true;
  }

  /** Stops all processes gracefully, and waits for that. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    for (const child of this.#children) child.send({ kind: 'stop' });
    if (this.#children.size > 0) await empty;
  }

  /** Kills all processes immediately. */
  kill(): void {
    this.#stopping = true;
    for (const child of this.#children) child.kill();
  }

  #fork(kind: ChildKind, starting: Starting): void {
    const { failures, waiting, isReplacement = false } = starting;
    const child = new PoolProcess(kind, this.#settings());
    this.#children.add(child);
    child.worker.on('message', (message: FromChild) => {
      if (message.kind === 'ready') {
        child.isReady = true;
        if (child.hasMissedReload) child.send({ kind: 'catch-up', texts: this.#settings() });
        if (isReplacement) this.#logger.info({ kind }, 'replaced the process that died');
        waiting?.onReady(message.served);
        if (this.#stopping) child.send({ kind: 'stop' });
      } else this.#events.onMessage(child, message);
    });
    child.onLines(this.#events.onLines);
    // Emitted after 'exit', when all of its output has been read.
    child.worker.process.once('close', (code: number | null, signal: string | null) => {
      this.#children.delete(child);
      // A signal says nothing about the settings: another process may start.
      const isFinal = signal === null || failures >= MAX_KILLED_STARTS || this.#stopping;
      const failed = !child.isReady && waiting !== undefined && isFinal;
      const replaced = !this.#stopping && !failed;
      this.#events.onEnd(child, replaced);
      if (replaced) void this.#replace(child, starting, { code, signal });
      if (failed) waiting.onFailed(signal);
      if (this.#children.size === 0) this.#onEmpty();
    });
  }

  async #replace(
    { kind, worker, startedAt, isReady }: PoolProcess,
    { failures, waiting }: Starting,
    end: { readonly code: number | null; readonly signal: string | null },
  ): Promise<void> {
    const next = restartDelay(failures, performance.now() - startedAt);
    const fields = { process: worker.process.pid, kind, ...end, restartInMs: next.delayMs };
    this.#logger.error(fields, 'a process died and will be replaced');
    await delay(next.delayMs);
    if (this.#stopping) return;
    const { failures: count } = next;
    this.#fork(kind, { failures: count, waiting: isReady ? undefined : waiting, isReplacement: true });
  }
}

interface Restart {
  /** Number of successive deaths soon after the start. */
  readonly failures: number;
  readonly delayMs: number;
}

/**
 * Returns when to replace a process that died: at once if it had lived for long, with growing delays if
 * several die soon after starting.
 *
 * @param failures - number of successive deaths before this one
 */
export function restartDelay(failures: number, livedMs: number): Restart {
  if (livedMs >= SOUND_AFTER_MS) return { failures: 0, delayMs: 0 };
  return { failures: failures + 1, delayMs: Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS) };
}
