import type { Logger } from 'pino';

import type { Config } from '../config';
import type { Store } from '../store';
import { errorMessage } from '../support/errors';

/**
 * Interval at which due work is looked for; work that is due a minute later must not wait for a second one.
 */
const LOOK_MS = 20_000;
/** Work that takes longer than this may be taken over by another process. */
const TURN_MS = 3_600_000;
/** Time until failed work is retried, unless it is due before. */
const AGAIN_MS = 10 * 60_000;

export interface ScheduledWorkOptions {
  /** Name in the log. */
  readonly name: string;
  readonly turns: Pick<Store['backups'], 'takeTurn' | 'setNext'>;
  readonly everyMs: number;
  readonly logger: Logger;
  /**
   * @param begun - milliseconds since 1970 UTC
   * @throws Error with a line that says why it failed
   */
  readonly work: (begun: number, signal: AbortSignal) => Promise<WorkDone>;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Result of a turn. */
export interface WorkDone {
  /** Fields of its log line; undefined if there was nothing to do. */
  readonly fields?: Readonly<Record<string, string | number>>;
  /** Milliseconds from its begin to the next turn; default: the interval. */
  readonly againMs?: number;
}

/** Offers what a feature's work may use. */
export interface WorkCore {
  readonly config: Config;
  readonly store: Store;
  readonly logger: Logger;
}

/** Does some work at intervals: among all processes and nodes of a database, one at a time does so. */
export class ScheduledWork {
  readonly #options: ScheduledWorkOptions;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ScheduledWorkOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Starts looking for due work. */
  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Aborts the work in progress; it is done again when the service runs. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
  }

  /** Does the work if it is due and not in progress here. Does not throw. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    }));
  }

  async #look(): Promise<void> {
    const { name, turns, everyMs, work, logger } = this.#options;
    const begun = this.#now();
    try {
      if (!(await turns.takeTurn(begun, everyMs, TURN_MS))) return;
    } catch {
      return; // The store reports its own failures.
    }
    try {
      const { fields, againMs = everyMs } = await work(begun, this.#stopping.signal);
      await turns.setNext(begun + againMs);
      if (fields !== undefined) {
        logger.info({ ...fields, milliseconds: this.#now() - begun }, `${name} completed`);
      }
    } catch (error) {
      const wasStopped = this.#stopping.signal.aborted;
      if (!wasStopped) logger.error({ reason: errorMessage(error) }, `${name} failed`);
      const againMs = wasStopped ? 0 : Math.min(AGAIN_MS, everyMs);
      await turns.setNext(this.#now() + againMs).catch(() => undefined); // The turn ends by itself.
    }
  }
}
