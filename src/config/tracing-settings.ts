import { z } from 'zod';

import { type Kind, optionalPublicUrl } from './kinds';
import type { Setting } from './setting';

const share: Kind<number> = {
  allowed: 'number from 0 to 1, such as `0.1`',
  schema: z
    .string()
    .regex(/^(?:0|1|0?\.\d{1,9}|[01]\.0{1,9}|0\.\d{1,9})$/)
    .transform(Number),
};

const serviceName: Kind<string> = {
  allowed: '1 to 100 visible ASCII characters',
  schema: z.string().regex(/^[!-~]{1,100}$/),
};

/** Names of HTTP headers and their values, each percent-encoded. */
const headerList: Kind<Readonly<Record<string, string>>> = {
  allowed: '`name=value` pairs separated by commas, their values percent-encoded; or empty',
  schema: z
    .string()
    .max(8000)
    .transform((text) => text.split(',').filter((pair) => pair.trim() !== ''))
    .refine((pairs) => pairs.every((pair) => headerOf(pair) !== undefined))
    .transform((pairs) => Object.fromEntries(pairs.flatMap((pair) => [headerOf(pair) ?? ['', '']]))),
};

function headerOf(pair: string): readonly [name: string, value: string] | undefined {
  const at = pair.indexOf('=');
  if (at < 0) return undefined;
  const name = pair.slice(0, at).trim();
  try {
    const value = decodeURIComponent(pair.slice(at + 1).trim());
    return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[ -~]*$/.test(value) ? [name, value] : undefined;
  } catch {
    return undefined; // A % that begins no character.
  }
}

/** Where traces go, in OpenTelemetry's own names: part of the one table. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    kind: optionalPublicUrl,
    description:
      'Address of a collector that gets traces (OTLP over HTTP, at `/v1/traces` below it); when empty, none are made.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    kind: headerList,
    description: 'Headers of the requests to the collector, such as its key.',
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    default: 'school-notifications',
    kind: serviceName,
    description: 'Name of the service in its traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    kind: share,
    description: 'Share of the traces begun here that are kept; where a caller has a trace, it decides.',
  },
} satisfies Record<string, Setting>;
