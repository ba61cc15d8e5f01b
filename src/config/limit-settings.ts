import { type Setting, wholeNumber } from './kinds';

/** Limits on a request, on all requests together, and on time; part of the one table. */
export const LIMIT_SETTINGS = {
  MAX_BODY_BYTES: {
    default: '4194304',
    // Half of the maximum string length: an answer may repeat a value.
    kind: wholeNumber(1024, 268_435_456, 'bytes'),
    description: 'Maximum size of a request body.',
  },
  MAX_LARGE_BODIES: {
    default: '8',
    kind: wholeNumber(1, 10_000, 'bodies'),
    description:
      'Maximum number of concurrent request bodies over 64 KB in this process; further requests get 503.',
  },
  MAX_XML_DEPTH: {
    default: '64',
    kind: wholeNumber(4, 10_000, 'levels'),
    description: 'Maximum nesting of elements in a request.',
  },
  MAX_XML_ATTRIBUTES: {
    default: '128',
    kind: wholeNumber(8, 100_000, 'attributes'),
    description: 'Maximum number of attributes on one element of a request.',
  },
  MAX_XML_ELEMENTS: {
    default: '100000',
    kind: wholeNumber(16, 100_000_000, 'elements'),
    description: 'Maximum number of elements in a request.',
  },
  MAX_QUERY_CHARACTERS: {
    default: '2048',
    kind: wholeNumber(64, 15_000, 'characters'),
    description: 'Maximum length of the query string.',
  },
  MAX_PATH_CHARACTERS: {
    default: '260',
    kind: wholeNumber(64, 15_000, 'characters'),
    description: 'Maximum length of the path.',
  },
  MAX_CONNECTIONS: {
    default: '4000',
    kind: wholeNumber(16, 1_000_000, 'connections'),
    description:
      'Maximum number of connections to this process; beyond it idle ones are closed, and if all are busy, further callers get 503.',
  },
  MAX_UNSENT_BYTES: {
    default: '67108864',
    kind: wholeNumber(1_048_576, 1_099_511_627_776, 'bytes'),
    description:
      'Maximum number of response bytes waiting for callers in this process; beyond it, the slowest readers are disconnected.',
  },
  HEADERS_TIMEOUT_SECONDS: {
    default: '20',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for the TLS handshake, and then for receiving the request headers.',
  },
  REQUEST_TIMEOUT_SECONDS: {
    default: '60',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for receiving a whole request.',
  },
  RESPONSE_TIMEOUT_SECONDS: {
    default: '30',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for a caller that does not read a waiting response.',
  },
  KEEP_ALIVE_SECONDS: {
    default: '72',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for idle connections.',
  },
  HANDLER_TIMEOUT_SECONDS: {
    default: '110',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for an operation; the caller then gets a server fault.',
  },
  SHUTDOWN_SECONDS: {
    default: '30',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Maximum time from the first SIGTERM or SIGINT until the process exits.',
  },
} satisfies Record<string, Setting>;
