import { wholeNumber } from './kinds';
import type { Setting } from './setting';

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
