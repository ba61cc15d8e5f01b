import { type MetricsSnapshot, type PooledMetrics, sharedQuestion } from '../telemetry';
import type { ProcessPool } from './process-pool';

/** A process that is busier than this is counted with what it said the last time. */
const ANSWER_WITHIN_MS = 1000;

/** Asks all processes for their metrics. */
export class MetricsRound {
  readonly #pool: ProcessPool;
  readonly #metrics: PooledMetrics;
  readonly #awaited = new Set<number>();
  #onDone: () => void = () => undefined;

  /** Resolves when all have answered, or have had the time to. Readers who come meanwhile share the round. */
  readonly collect = sharedQuestion(() => this.#ask());

  constructor(pool: ProcessPool, metrics: PooledMetrics) {
    this.#pool = pool;
    this.#metrics = metrics;
  }

  take(id: number, snapshot: MetricsSnapshot): void {
    this.#metrics.remember(id, snapshot);
    this.ended(id);
  }

  /** Nothing more is to be expected from a process. */
  ended(id: number): void {
    this.#awaited.delete(id);
    if (this.#awaited.size === 0) this.#onDone();
  }

  async #ask(): Promise<void> {
    const children = this.#pool.children();
    if (children.length === 0) return;
    const done = new Promise<void>((resolve) => (this.#onDone = resolve));
    const late = setTimeout(this.#onDone, ANSWER_WITHIN_MS);
    for (const { id } of children) this.#awaited.add(id);
    for (const child of children) child.send({ kind: 'send-metrics' });
    await done;
    clearTimeout(late);
    this.#awaited.clear();
  }
}
