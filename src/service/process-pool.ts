import cluster, { type Worker } from 'node:cluster';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import type { Settings, Wrong } from '../config';
import type { MessageChannel } from '../store';
import { OperatorError } from '../support/errors';
import type { MetricsSnapshot } from '../telemetry';
import type { Served } from './announce-start';

/** What a process does under PROCESSES. */
export type ChildKind = 'web' | 'delivery';

const KIND_VARIABLE = 'SERVICE_PROCESS_KIND';

/** The environment that names its kind to a process. */
function kindEnvironment(kind: ChildKind): Readonly<Record<string, string>> {
  return { [KIND_VARIABLE]: kind };
}

/** What this process was started for. */
export function childKind(): ChildKind {
  return process.env[KIND_VARIABLE] === 'delivery' ? 'delivery' : 'web';
}

/** By which settings it is to go from now on: `start` comes first of all messages. */
export interface OfSettings {
  readonly kind: 'start' | 'reload';
  readonly texts: Settings['texts'];
}

/** What the primary process says to the others. */
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

/** What they say to it. */
export type FromChild =
  | Ready
  | { readonly kind: 'new-message'; readonly channel: MessageChannel }
  | { readonly kind: 'reloaded'; readonly wrong: readonly Wrong[] }
  | { readonly kind: 'metrics'; readonly snapshot: MetricsSnapshot };

const LINE_END = 0x0a;

/** A process that the primary one has started, and how to speak to it. */
class PoolProcess {
  readonly worker: Worker;
  readonly startedAt = performance.now();
  isReady = false;
  /** Files were read again while it started: it may have read them before. */
  hasMissedReload = false;

  /** @param texts - the settings by which it is to go, whatever has become of their files since they were read */
  constructor(
    readonly kind: ChildKind,
    texts: Settings['texts'],
  ) {
    this.worker = cluster.fork(kindEnvironment(kind));
    // A channel that breaks is followed by the end of the process, which is dealt with there.
    this.worker.on('error', () => undefined);
    this.send({ kind: 'start', texts });
  }

  get id(): number {
    return this.worker.id;
  }

  send(message: ToChild): void {
    if (this.worker.isConnected()) this.worker.send(message);
  }

  /** Ends it where it stands. */
  kill(): void {
    this.worker.process.kill('SIGKILL');
  }

  /** Hands on what it writes to standard output, in whole lines. */
  onLines(write: (lines: Buffer) => void): void {
    const { stdout } = this.worker.process;
    if (stdout !== null) wholeLines(stdout, write);
  }
}

/**
 * Hands on what a stream brings, in blocks that end with a line: however many streams are written to one place
 * so, their lines do not mix. What comes behind the last line end is left out: the rest of that line was never
 * written.
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

/** Asks processes for something, and waits until all have answered or have ended. */
export class Round<Answer> {
  readonly #withinMs: number | undefined;
  readonly #awaited = new Set<number>();
  #answers: Answer[] = [];
  #onDone: () => void = () => undefined;

  /** @param withinMs - those that have not answered by then are waited for no longer; default: all are */
  constructor(withinMs?: number) {
    this.#withinMs = withinMs;
  }

  /** To be called when the round before is over. Resolves with the answers that came in time. */
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

  /** Nothing more is to be expected from a process. */
  ended(id: number): void {
    this.#awaited.delete(id);
    if (this.#awaited.size === 0) this.#onDone();
  }
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** A process that has run so long died of something else than its start. */
const SOUND_AFTER_MS = 60_000;

/** Why the service cannot start, where the process that could not has reported it already. */
export class AlreadyReportedError extends Error {
  override readonly name = 'AlreadyReportedError';
}

interface PoolEvents {
  readonly onMessage: (child: PoolProcess, message: Exclude<FromChild, Ready>) => void;
  /** Lines of a process's log. */
  readonly onLines: (lines: Buffer) => void;
  /** A process has ended; `replaced` when another takes its place. */
  readonly onEnd: (child: PoolProcess, replaced: boolean) => void;
}

/** The processes of the service beside the primary one: each that dies is replaced until they are to stop. */
export class ProcessPool {
  readonly #logger: Logger;
  readonly #events: PoolEvents;
  readonly #settings: () => Settings['texts'];
  readonly #children = new Set<PoolProcess>();
  #stopping = false;
  #onEmpty: () => void = () => undefined;

  /** @param settings - by which processes go that start now */
  constructor(logger: Logger, settings: () => Settings['texts'], events: PoolEvents) {
    this.#settings = settings;
    this.#logger = logger;
    this.#events = events;
    // What processes write to one pipe would mix, unless each wrote little at a time.
    cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  }

  /**
   * Starts a process, which is from now on to be there.
   *
   * @returns what it serves, when it is ready
   * @throws AlreadyReportedError when it ends before that, OperatorError when it was ended
   */
  start(kind: ChildKind): Promise<Served> {
    return new Promise((resolve, reject) => {
      this.#fork(kind, 0, resolve, (signal) => {
        reject(
          signal === null
            ? new AlreadyReportedError()
            : new OperatorError(`A process was killed by ${signal}.`),
        );
      });
    });
  }

  /** Those that are ready, of one kind or of all. */
  children(kind?: ChildKind): readonly PoolProcess[] {
    return [...this.#children].filter((child) => child.isReady && (kind ?? child.kind) === child.kind);
  }

  /** Those that start hear nothing yet: each is told to read its files again as soon as it is ready. */
  reloadStarting(): void {
    for (const child of this.#children) if (!child.isReady) child.hasMissedReload = true;
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
    onReady: (served: Served) => void,
    onFailed?: (signal: string | null) => void,
  ): void {
    const child = new PoolProcess(kind, this.#settings());
    this.#children.add(child);
    child.worker.on('message', (message: FromChild) => {
      if (message.kind === 'ready') {
        child.isReady = true;
        if (child.hasMissedReload) child.send({ kind: 'reload', texts: this.#settings() });
        onReady(message.served);
        if (this.#stopping) child.send({ kind: 'stop' });
      } else this.#events.onMessage(child, message);
    });
    child.onLines(this.#events.onLines);
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
    { kind, worker, startedAt }: PoolProcess,
    failures: number,
    end: { readonly code: number | null; readonly signal: string | null },
  ): Promise<void> {
    const next = restartDelay(failures, performance.now() - startedAt);
    const fields = { process: worker.process.pid, kind, ...end, restartInMs: next.delayMs };
    this.#logger.error(fields, 'a process died and will be replaced');
    await delay(next.delayMs);
    if (this.#stopping) return;
    this.#fork(kind, next.failures, () => {
      this.#logger.info({ kind }, 'replaced the process that died');
    });
  }
}

interface Restart {
  /** How often in a row processes have died soon after their start. */
  readonly failures: number;
  readonly delayMs: number;
}

/**
 * When a process that died is to be replaced: at once when it had run for long, later and later where one after
 * the other dies soon.
 *
 * @param failures - deaths in a row before this one
 */
export function restartDelay(failures: number, livedMs: number): Restart {
  if (livedMs >= SOUND_AFTER_MS) return { failures: 0, delayMs: 0 };
  return { failures: failures + 1, delayMs: Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS) };
}
