import type { Feature } from '../feature';
import { ROWS } from './settings';
import { TURKISH } from './turkish';

export const settings = { title: 'Traces' as const, rows: ROWS };

export const texts = { tr: TURKISH };

/** Traces with a collector only; otherwise OpenTelemetry is not loaded. */
export const openTracing: Required<Feature>['openTracing'] = async (config, version, logger) => {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { openSpanTracing } = await import('./span-tracing.js');
  return openSpanTracing(endpoint, config, version, logger);
};
