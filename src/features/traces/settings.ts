import * as z from 'zod';

import { type Kind, optionalPublicUrl, type Setting } from '../../config/kinds';
import { tryTo } from '../../support/errors';

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

/** Names and values of HTTP headers, each percent-encoded. */
const headerList: Kind<Readonly<Record<string, string>>> = {
  allowed: '`name=value` pairs separated by commas, values percent-encoded; or empty',
  schema: z
    .string()
    .max(8000)
    .transform((text) => text.split(',').filter((pair) => pair.trim() !== ''))
    .refine((pairs) => pairs.every((pair) => parseHeader(pair) !== undefined))
    .transform((pairs) => Object.fromEntries(pairs.flatMap((pair) => [parseHeader(pair) ?? ['', '']]))),
};

function parseHeader(pair: string): readonly [name: string, value: string] | undefined {
  const at = pair.indexOf('=');
  if (at < 0) return undefined;
  const name = pair.slice(0, at).trim();
  // Undefined for a % that begins no character.
  const value = tryTo(() => decodeURIComponent(pair.slice(at + 1).trim()));
  const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[ -~]*$/.test(value ?? '');
  return value !== undefined && isHeader ? [name, value] : undefined;
}

/** The settings, under OpenTelemetry's own names. */
export const ROWS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '',
    kind: optionalPublicUrl,
    description:
      'URL of the trace collector (OTLP over HTTP; `/v1/traces` is appended); if empty, tracing is off.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: '',
    kind: headerList,
    description: 'Headers for requests to the collector, such as its key.',
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    default: 'school-notifications',
    kind: serviceName,
    description: 'Service name in traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    kind: share,
    description: 'Share of traces kept, for requests whose caller has not decided it.',
  },
} satisfies Record<string, Setting>;
