import { collectDefaultMetrics, type Metric, type MetricValueWithName, Registry } from 'prom-client';

import { DurationSeries } from './duration-series';
import type { RequestRecord } from './request-record';

/** In seconds: an answer from memory up to the longest a handler may take. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 110,
];

const REQUESTS = {
  name: 'service_requests_total',
  help: 'Requests by operation, binding and outcome (ok, client_error, server_error).',
  type: 'counter',
} as const;

const DURATIONS = {
  name: 'service_request_duration_seconds',
  help: 'Time from the head of a request to the last byte of its answer.',
  type: 'histogram',
} as const;

type Samples = readonly MetricValueWithName<string>[];

/**
 * The service's metrics in the form that Prometheus reads. Other rooms may add theirs to the registry.
 *
 * Requests are counted here and not in the library's counters: those look the labels up anew each time, which
 * costs more than reading a small envelope.
 */
export class Metrics {
  readonly registry = new Registry();
  /** By operation, binding and outcome. */
  readonly #series = new Map<string, Map<string, Map<string, DurationSeries>>>();

  constructor() {
    this.#publish(REQUESTS, (series) => [series.total]);
    this.#publish(DURATIONS, (series) => series.samples(DURATIONS.name));
    // Processor time, memory, garbage collection, and the event loop's delay.
    collectDefaultMetrics({ register: this.registry });
  }

  countRequest({ operation = 'none', binding = 'none', outcome, durationMs }: RequestRecord): void {
    const series = this.#series.get(operation)?.get(binding)?.get(outcome);
    (series ?? this.#addSeries(operation, binding, outcome)).observe(durationMs / 1000);
  }

  #addSeries(operation: string, binding: string, outcome: string): DurationSeries {
    const series = new DurationSeries({ operation, binding, outcome }, DURATION_BUCKETS);
    const ofOperation = this.#series.get(operation) ?? new Map<string, Map<string, DurationSeries>>();
    const ofBinding = ofOperation.get(binding) ?? new Map<string, DurationSeries>();
    this.#series.set(operation, ofOperation.set(binding, ofBinding.set(outcome, series)));
    return series;
  }

  #publish(metric: typeof REQUESTS | typeof DURATIONS, read: (series: DurationSeries) => Samples): void {
    const values = (): Samples =>
      [...this.#series.values()].flatMap((bindings) =>
        [...bindings.values()].flatMap((outcomes) => [...outcomes.values()].flatMap(read)),
      );
    const get = () => Promise.resolve({ ...metric, aggregator: 'sum', values: values() });
    // What a registry asks of a metric; the typings know the library's own four kinds only.
    this.registry.registerMetric({ ...metric, get } as unknown as Metric);
  }
}
