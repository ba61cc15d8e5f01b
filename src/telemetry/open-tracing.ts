import type { Logger } from 'pino';

import { type Config, proxyFor, type ProxyConfig, proxyOptions } from '../config';
import { openSpanTracing, type TracingTimes } from './span-tracing';
import { readTraceContext, type Tracing } from './tracing';

type TracingConfig = Pick<
  Config,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER_ARG'
> &
  ProxyConfig;

/** Tracing without a collector: forwards callers' trace contexts, without loading OpenTelemetry. */
const HANDING_ON: Tracing = {
  begin: (request) => readTraceContext(request.headers),
  tracePassage: (request) => ({ trace: readTraceContext(request.headers), end: () => undefined }),
  close: () => Promise.resolve(),
};

const TIMES: TracingTimes = { exportMs: 10_000, closeMs: 2000 };

/** @param version - of the package */
export async function openTracing(
  config: TracingConfig,
  version: string,
  logger: Logger,
  times = TIMES,
): Promise<Tracing> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return HANDING_ON;
  return openSpanTracing({
    endpoint,
    proxy: proxyFor(endpoint, proxyOptions(config)),
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: config.OTEL_SERVICE_NAME,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    version,
    logger,
    times,
  });
}
