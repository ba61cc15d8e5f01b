import { collectDefaultMetrics, Gauge, type Metric, register as ofProcess, Registry } from 'prom-client';

import type { Exchange } from '../asmx';
import type { Health } from './health';
import { isProbe } from './request-log';
import { type CallerTally, RequestTally } from './request-tally';
import { Counts, DurationSeries, type Sample } from './series';

/** In seconds, from an answer from memory to the maximum time of a handler. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 110,
];

/** In seconds, from a cached page to a failing disk. */
const WRITE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A metric whose values this service computes itself. */
interface PublishedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
}

function counter(name: string, help: string): PublishedMetric {
  return { name, help, type: 'counter' };
}

function histogram(name: string, help: string): PublishedMetric {
  return { name, help, type: 'histogram' };
}

const REQUESTS = counter(
  'service_requests_total',
  'Requests by operation, binding and outcome (ok, client_error, server_error).',
);
const DURATIONS = histogram(
  'service_request_duration_seconds',
  'Time from the request head to the last byte of the response.',
);
const CALLERS = counter(
  'service_requests_by_caller_total',
  'Requests by caller (from ACCESS_FILE), User-Agent family and binding.',
);
const ERRORS = counter('service_request_errors_total', 'Failed requests, by operation, binding and reason.');
const FORWARDED = counter(
  'service_forwarded_requests_total',
  'Requests forwarded to the old server, by operation, binding and outcome (answered, fallback, unreachable, silent, broken, gone, unsendable).',
);
const REFUSALS = counter('service_refusals_total', 'Calls with denied access, by reason.');
const FAILED_HANDSHAKES = counter('service_tls_failures_total', 'Failed TLS handshakes, by reason.');
const WRITES = histogram(
  'service_store_write_seconds',
  'Duration of write transactions until durable, including waiting for locks.',
);
const FAILED_WRITES = counter('service_store_write_failures_total', 'Failed store transactions, by cause.');

/** Reason of every server error; the log contains the error. */
export const OWN_FAILURE = 'Internal error.';

/**
 * Returns processor time, memory, garbage collection, and the event loop's delay. A process has them once,
 * however many services run in it, because the library's observers of them never end.
 */
function metricsOfProcess(): Registry {
  if (ofProcess.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
  return ofProcess;
}

/**
 * The service's metrics in Prometheus format. Other rooms may add theirs to the registry.
 *
 * Requests are not counted by the library, whose counters look the labels up each time, which costs more than
 * reading a small envelope.
 */
export class Metrics {
  readonly registry = Registry.merge([metricsOfProcess()]);
  readonly #requests = new RequestTally(DURATION_BUCKETS);
  readonly #errors = new Counts(['operation', 'binding', 'reason']);
  readonly #forwarded = new Counts(['operation', 'binding', 'outcome']);
  /** Callers of forwarded requests, which have no duration here. */
  readonly #forwardedFor = new RequestTally([]);
  readonly #refusals = new Counts(['reason']);
  readonly #failedHandshakes = new Counts(['reason']);
  readonly #writes = new DurationSeries({}, WRITE_BUCKETS);
  readonly #failedWrites = new Counts(['trouble']);

  constructor() {
    this.#publish(CALLERS, () => this.#requests.callerSamples());
    this.#publish(ERRORS, () => this.#errors.samples());
    this.#publish(REFUSALS, () => this.#refusals.samples());
    this.#publish(WRITES, () => this.#writes.samples(WRITES.name));
    this.#publish(FAILED_WRITES, () => this.#failedWrites.samples());
    this.#publishSeries(REQUESTS, (series) => [series.total]);
    this.#publishSeries(DURATIONS, (series) => series.samples(DURATIONS.name));
  }

  /**
   * @param agent - family of the User-Agent, from a small set
   * @param address - client's address in the form allowed in the log; undefined for none
   */
  countRequest(exchange: Exchange, agent: string, address?: string): void {
    const { outcome, durationMs, caller } = exchange;
    const { operation = 'none', binding = 'none' } = isProbe(agent) ? {} : exchange;
    this.#requests.count(operation, binding, outcome, durationMs / 1000, caller, address, agent);
    if (outcome !== 'ok') this.#errors.count(operation, binding, errorReason(exchange));
    if (exchange.refusal !== undefined) this.#refusals.count(exchange.refusal);
  }

  /**
   * Counts a request that the old server was asked for.
   *
   * @param outcome - `fallback` if it answered in place of this service, which has counted the request too
   */
  countForwarded(operation: string, binding: string, outcome: string, agent: string, address?: string): void {
    this.#forwarded.count(operation, binding, outcome);
    this.countCompared(operation, binding, outcome, agent, address);
  }

  /**
   * Counts for its caller what became of a forwarded request, or that both servers' answers to it were
   * compared.
   */
  countCompared(operation: string, binding: string, outcome: string, agent: string, address?: string): void {
    this.#forwardedFor.count(operation, binding, outcome, 0, undefined, address, agent);
  }

  /**
   * Returns the calls by caller, operation and outcome since the last call of this method, forwarded ones
   * included.
   */
  takeCallers(): readonly CallerTally[] {
    return [...this.#requests.takeCallers(), ...this.#forwardedFor.takeCallers()];
  }

  watchForwarding(): void {
    this.#publish(FORWARDED, () => this.#forwarded.samples());
  }

  /** @param trouble - reason for which the store kept nothing, from a small set */
  countWrite(milliseconds: number, trouble?: string): void {
    if (trouble === undefined) this.#writes.observe(milliseconds / 1000);
    else this.#failedWrites.count(trouble);
  }

  watchHealth(health: Pick<Health, 'status'>): void {
    new Gauge({
      name: 'service_ready',
      help: '1 while the service is ready (/readyz); the minimum over all processes.',
      aggregator: 'min',
      registers: [this.registry],
      async collect() {
        this.set((await health.status()) === 'ready' ? 1 : 0);
      },
    });
  }

  /** Publishes the expiry of the service's TLS certificate, and TLS failures. */
  watchCertificate(endsAt: () => Date): void {
    this.#publish(FAILED_HANDSHAKES, () => this.#failedHandshakes.samples());
    new Gauge({
      name: 'service_tls_certificate_end_timestamp_seconds',
      help: 'Expiry time of the certificate in TLS_CERT_FILE (Unix seconds); the earliest over all processes.',
      aggregator: 'min',
      registers: [this.registry],
      collect() {
        this.set(endsAt().getTime() / 1000);
      },
    });
  }

  /** @param reason - from a small set */
  countFailedHandshake(reason: string): void {
    this.#failedHandshakes.count(reason);
  }

  #publishSeries(metric: PublishedMetric, read: (series: DurationSeries) => readonly Sample[]): void {
    this.#publish(metric, () => this.#requests.durations.flatMap(read));
  }

  #publish(metric: PublishedMetric, values: () => readonly Sample[]): void {
    const get = () => Promise.resolve({ ...metric, aggregator: 'sum', values: values() });
    // The interface that a registry requires of a metric; the typings only know the library's own four kinds.
    this.registry.registerMetric({ ...metric, get } as unknown as Metric);
  }
}

/** Returns one of a few texts, never a caller's. */
function errorReason({ refusal, reason, fields, outcome }: Exchange): string {
  if (refusal !== undefined) return `Access denied: ${refusal}.`;
  if (outcome === 'server_error') return OWN_FAILURE;
  // An operation that refuses what the caller sent annotates why.
  return reason ?? fields['reason']?.toString() ?? 'Invalid request.';
}
