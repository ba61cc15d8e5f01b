import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

import type { RequestRecord } from './request-record';

const REQUEST_LABELS = ['operation', 'binding', 'outcome'] as const;
/** In seconds: an answer from memory up to the longest a handler may take. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 110,
];

interface RequestSeries {
  readonly count: Counter.Internal;
  readonly seconds: Histogram.Internal<string>;
}

/** The service's metrics in the form that Prometheus reads. Other rooms may add theirs to the registry. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: 'service_requests_total',
    help: 'Requests by operation, binding and outcome (ok, client_error, server_error).',
    labelNames: REQUEST_LABELS,
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'service_request_duration_seconds',
    help: 'Time from the head of a request to the last byte of its answer.',
    labelNames: REQUEST_LABELS,
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });
  /** By the three label values: finding a series in the library costs more than counting in it. */
  readonly #series = new Map<string, RequestSeries>();

  constructor() {
    // Processor time, memory, garbage collection, and the event loop's delay.
    collectDefaultMetrics({ register: this.registry });
  }

  countRequest({ operation = 'none', binding = 'none', outcome, durationMs }: RequestRecord): void {
    const series = this.#seriesOf(operation, binding, outcome);
    series.count.inc();
    series.seconds.observe(durationMs / 1000);
  }

  #seriesOf(operation: string, binding: string, outcome: string): RequestSeries {
    const key = `${operation} ${binding} ${outcome}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const labels = { operation, binding, outcome };
      series = { count: this.#requests.labels(labels), seconds: this.#durations.labels(labels) };
      this.#series.set(key, series);
    }
    return series;
  }
}
