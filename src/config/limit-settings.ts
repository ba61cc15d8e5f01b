import { z } from 'zod';

import {
  type Kind,
  optionalFile,
  optionalPublicUrl,
  optionalServerUrl,
  type Setting,
  wholeNumber,
} from './kinds';

/** Bounds on a request, on all of them together, and on time: part of the one table. */
export const LIMIT_SETTINGS = {
  MAX_BODY_BYTES: {
    default: '4194304',
    // Half of the longest string that there is: an answer may repeat a value.
    kind: wholeNumber(1024, 268_435_456, 'bytes'),
    description: 'Largest request body.',
  },
  MAX_LARGE_BODIES: {
    default: '8',
    kind: wholeNumber(1, 10_000, 'bodies'),
    description:
      'Largest number of request bodies over 64 KB in this process at once; the next gets 503 before it is read.',
  },
  MAX_XML_DEPTH: {
    default: '64',
    kind: wholeNumber(4, 10_000, 'levels'),
    description: 'Deepest nesting of elements in a request.',
  },
  MAX_XML_ATTRIBUTES: {
    default: '128',
    kind: wholeNumber(8, 100_000, 'attributes'),
    description: 'Largest number of attributes on one element of a request.',
  },
  MAX_XML_ELEMENTS: {
    default: '100000',
    kind: wholeNumber(16, 100_000_000, 'elements'),
    description: 'Largest number of elements in one request.',
  },
  MAX_QUERY_CHARACTERS: {
    default: '2048',
    kind: wholeNumber(64, 15_000, 'characters'),
    description: 'Longest query string.',
  },
  MAX_PATH_CHARACTERS: {
    default: '260',
    kind: wholeNumber(64, 15_000, 'characters'),
    description: 'Longest path.',
  },
  MAX_CONNECTIONS: {
    default: '4000',
    kind: wholeNumber(16, 1_000_000, 'connections'),
    description:
      'Largest number of connections to this process; beyond it idle ones are closed, and when all are busy, further callers get 503.',
  },
  MAX_UNSENT_BYTES: {
    default: '67108864',
    kind: wholeNumber(1_048_576, 1_099_511_627_776, 'bytes'),
    description:
      'Largest number of response bytes in this process that wait for their callers to read; beyond it, the connections that have stood still the longest are cut off.',
  },
  HEADERS_TIMEOUT_SECONDS: {
    default: '20',
    kind: wholeNumber(1, 3600, 'seconds'),
    description:
      'Longest time a caller may take to send the headers of a request, and before that for the handshake of TLS.',
  },
  REQUEST_TIMEOUT_SECONDS: {
    default: '60',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time a caller may take to send a whole request.',
  },
  RESPONSE_TIMEOUT_SECONDS: {
    default: '30',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time a caller may read nothing of a response that waits for it.',
  },
  KEEP_ALIVE_SECONDS: {
    default: '72',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'How long an idle connection stays open.',
  },
  HANDLER_TIMEOUT_SECONDS: {
    default: '110',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time an operation may take; after it the caller gets a server fault.',
  },
  SHUTDOWN_SECONDS: {
    default: '30',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time from the first SIGTERM or SIGINT until the process exits.',
  },
} satisfies Record<string, Setting>;

/** Moving in from an old server: part of the one table. */
export const MOVING_SETTINGS = {
  OLD_URL: {
    default: '',
    kind: optionalServerUrl,
    description:
      'Address of the old server that the service stands in front of while you move in; empty for none.',
  },
  CUTOVER_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file that says by operation and binding who answers; when empty, the old server answers everything, and reads are compared. SIGHUP has it read again.',
    reloads: true,
  },
  OLD_TIMEOUT_SECONDS: {
    default: '120',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time the old server may say nothing; after it the caller gets 502.',
  },
  SHADOW_CONCURRENCY: {
    default: '16',
    kind: wholeNumber(1, 1000, 'requests'),
    description:
      'Largest number of requests in this process that are compared at once; those beyond it are not compared.',
  },
  SHADOW_TIMEOUT_SECONDS: {
    default: '10',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time an answer that is only compared may take.',
  },
  RECORD_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'File that requests are recorded in, to be compared later; empty for none. It holds personal data and passwords as they were sent.',
  },
  RECORD_MAX_BYTES: {
    default: '268435456',
    kind: wholeNumber(1_048_576, 1_099_511_627_776, 'bytes'),
    description: 'Largest size of all recordings together; beyond it the oldest are removed.',
  },
} satisfies Record<string, Setting>;

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
