import type { Logger } from 'pino';

import type { CallerCount, Counted, Store } from '../../store';
import type { Metrics } from '../../telemetry';
import { Counters } from './counters';

const MINUTE_MS = 60_000;
/** Minutes that wait for a store that does not answer; what comes then is counted as one with the next. */
const MOST_WAITING = 60;

export interface MinuteFiguresOptions {
  readonly store: { readonly figures: Pick<Store['figures'], 'add'> };
  readonly metrics: Pick<Metrics, 'registry' | 'takeCallers'>;
  readonly logger: Logger;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly elapsed?: () => number;
}

interface Minute {
  readonly counts: readonly Counted[];
  readonly callers: readonly CallerCount[];
}

/**
 * Hands what this process counted to the store, a minute at a time. What the store does not take is handed over
 * later, for the minutes in which it was counted; where it took it and could not say so, it has it twice.
 */
export class MinuteFigures {
  readonly #store: MinuteFiguresOptions['store'];
  readonly #metrics: MinuteFiguresOptions['metrics'];
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #counters: Counters;
  #takenAt: number;
  #waiting: readonly Minute[] = [];
  #handing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(options: MinuteFiguresOptions) {
    const { store, metrics, logger, now = Date.now, elapsed = () => performance.now() } = options;
    this.#store = store;
    this.#metrics = metrics;
    this.#logger = logger;
    this.#now = now;
    this.#elapsed = elapsed;
    this.#counters = new Counters(metrics.registry);
    this.#takenAt = elapsed();
  }

  /** From now on at the end of each minute. */
  start(): void {
    this.#timer = setTimeout(
      () => {
        void this.handOver();
        this.start();
      },
      MINUTE_MS - (this.#now() % MINUTE_MS),
    ).unref();
  }

  /** Hands over what is left. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#handing;
    await this.handOver();
  }

  /** Hands over what was counted since the last time, unless that is still under way. It does not throw. */
  handOver(): Promise<void> {
    return (this.#handing ??= this.#handOver().finally(() => {
      this.#handing = undefined;
    }));
  }

  async #handOver(): Promise<void> {
    if (this.#waiting.length < MOST_WAITING) await this.#take();
    if (this.#waiting.length === 0) return;
    try {
      const counts = this.#waiting.flatMap((minute) => minute.counts);
      const callers = this.#waiting.flatMap((minute) => minute.callers);
      await this.#store.figures.add(counts, callers, this.#now());
      this.#waiting = [];
      if (this.#isFailing) this.#logger.info('the store takes the figures again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#logger.error({ err: error }, 'the figures wait for the store');
      this.#isFailing = true;
    }
  }

  /** For the minute that the middle of the time lies in, which ends about now: so far back the clock was right. */
  async #take(): Promise<void> {
    const elapsed = this.#elapsed();
    const at = Math.round(this.#now() - (elapsed - this.#takenAt) / 2);
    this.#takenAt = elapsed;
    const callers = this.#metrics.takeCallers().map((tally) => ({ ...tally, at }));
    const counts = await this.#counters.take(at);
    if (counts.length > 0 || callers.length > 0) this.#waiting = [...this.#waiting, { counts, callers }];
  }
}
