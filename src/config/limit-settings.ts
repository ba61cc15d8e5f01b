import { type Setting, wholeNumber } from './kinds';

/** Limits on a request, on all requests together, and on time; part of the one table. */
export const LIMIT_SETTINGS = {
  MAX_BODY_BYTES: {
    default: '4194304',
    // Half of the maximum string length: an answer may repeat a value.
    kind: wholeNumber(1024, 268_435_456, 'bytes'),
    description:
      'Maximum size of a request body; 16 times as many bytes of responses may wait for slow callers.',
  },
  MAX_QUERY_CHARACTERS: {
    default: '2048',
    kind: wholeNumber(64, 15_000, 'characters'),
    description: 'Maximum length of the query string.',
  },
  MAX_CONNECTIONS: {
    default: '4000',
    kind: wholeNumber(16, 1_000_000, 'connections'),
    description:
      'Maximum number of connections to this process; beyond it idle ones are closed, and if all are busy, further callers get 503.',
  },
  REQUEST_TIMEOUT_SECONDS: {
    default: '60',
    kind: wholeNumber(1, 3600, 'seconds'),
    description:
      'Timeout for receiving a whole request; at most 20 seconds for its headers, 30 for a caller that does not read and for a stop of the service, and twice the timeout, at most 110 seconds, for an operation.',
  },
  KEEP_ALIVE_SECONDS: {
    default: '72',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for idle connections.',
  },
} satisfies Record<string, Setting>;
