import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';

import { singleFlight } from './health';

/** The metrics of one process as it sends them to another. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What goes on counting after the process that began it has ended. */
const COUNTING_TYPES: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** The metrics of several processes as those of one service. */
export class PooledMetrics {
  /** What is counted once a service, and not by each process. */
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
  /** What ended processes had counted when they were last asked: without it the sums would fall. */
  #ended: Promise<MetricsSnapshot> = Promise.resolve([]);

  /** What the operator's page reads. */
  readonly registry = {
    contentType: this.own.contentType,
    metrics: async (): Promise<string> => (await this.#all()).metrics(),
    getMetricsAsJSON: async (): Promise<MetricsSnapshot> => (await this.#all()).getMetricsAsJSON(),
  };

  readonly #collect: () => Promise<void>;

  /** @param collect - has the latest snapshot of each process remembered, as far as they answer */
  constructor(collect: () => Promise<void>) {
    this.#collect = singleFlight(collect);
  }

  remember(processId: number, snapshot: MetricsSnapshot): void {
    this.#latest.set(processId, snapshot);
  }

  /** A process has ended. */
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
