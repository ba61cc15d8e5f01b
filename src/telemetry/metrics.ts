import express from 'express';
import { collectDefaultMetrics, type Metric, type MetricValueWithName, Registry } from 'prom-client';

import type { Exchange } from '../asmx';

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

type Sample = MetricValueWithName<string>;

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

  countRequest(exchange: Exchange): void {
    const { operation = 'none', outcome, durationMs } = exchange;
    const binding = exchange.binding ?? 'none';
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

  #publish(
    metric: typeof REQUESTS | typeof DURATIONS,
    read: (series: DurationSeries) => readonly Sample[],
  ): void {
    const values = (): readonly Sample[] =>
      [...this.#series.values()].flatMap((bindings) =>
        [...bindings.values()].flatMap((outcomes) => [...outcomes.values()].flatMap(read)),
      );
    const get = () => Promise.resolve({ ...metric, aggregator: 'sum', values: values() });
    // What a registry asks of a metric; the typings know the library's own four kinds only.
    this.registry.registerMetric({ ...metric, get } as unknown as Metric);
  }
}

/** Counts how long those things took that have the same labels. */
class DurationSeries {
  readonly #labels: Sample['labels'];
  readonly #bounds: Float64Array;
  /** By bucket, and one for what is longer than all of them. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds - of the buckets, in seconds, rising */
  constructor(labels: Sample['labels'], bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  /** How many there were. */
  get total(): Sample {
    return { labels: this.#labels, value: this.#counts.reduce((sum, count) => sum + count) };
  }

  /** As Prometheus has a histogram: each bucket also counts all that is shorter. */
  samples(name: string): readonly Sample[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (own, bucket): Sample => {
      count += own;
      const le = this.#bounds[bucket] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { le, ...this.#labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.#labels, value: count },
    ];
  }
}

interface ReadableMetrics {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
}

/** The operator's pages; to be served where only the operator gets. */
export function createAdminApp({ registry }: ReadableMetrics): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', async (_request, response) => {
    response.set('Content-Type', registry.contentType).end(await registry.metrics());
  });
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('Not found. There is /metrics.\n');
  });
  return app;
}
