import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

import { singleFlight } from '../support/single-flight';

/** The metrics of one process, in the form sent to another. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Types of metrics whose values persist after the end of the process that counted them. */
const COUNTING_TYPES: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** Combines the metrics of several processes into those of one service. */
export class PooledMetrics {
  /** Metrics counted once per service, not per process. */
  readonly own = new Registry();
  readonly #replaced = new Counter({
    name: 'service_processes_replaced_total',
    help: 'Processes that died and were replaced.',
    registers: [this.own],
  });
  readonly #running = new Gauge({
    name: 'service_processes',
    help: 'Running processes that answer requests or deliver messages.',
    registers: [this.own],
  });
  readonly #latest = new Map<number, MetricsSnapshot>();
  /** Last counts of ended processes: without them the sums would fall. */
  #ended: Promise<MetricsSnapshot> = Promise.resolve([]);

  /** Metrics for the console. */
  readonly registry = {
    contentType: this.own.contentType,
    metrics: async (): Promise<string> => (await this.#all()).metrics(),
    getMetricsAsJSON: async (): Promise<MetricsSnapshot> => (await this.#all()).getMetricsAsJSON(),
  };

  readonly #collect: () => Promise<void>;

  /** @param collect - fetches the latest snapshots of the processes that answer */
  constructor(collect: () => Promise<void>) {
    this.#collect = singleFlight(collect);
  }

  remember(processId: number, snapshot: MetricsSnapshot): void {
    this.#latest.set(processId, snapshot);
  }

  /** Keeps the counts of a process that has ended. */
  forget(processId: number): void {
    const last = this.#latest.get(processId) ?? [];
    this.#latest.delete(processId);
    const counted = last.filter(({ type }) => COUNTING_TYPES.has(type));
    this.#ended = this.#ended.then((ended) =>
      AggregatorRegistry.aggregate([ended, counted]).getMetricsAsJSON(),
    );
  }

  countReplaced(): void {
    this.#replaced.inc();
  }

  async #all(): Promise<Registry> {
    await this.#collect();
    this.#running.set(this.#latest.size);
    const own = await this.own.getMetricsAsJSON();
    return AggregatorRegistry.aggregate([...this.#latest.values(), await this.#ended, own]);
  }
}
