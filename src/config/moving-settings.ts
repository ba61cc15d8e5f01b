import { optionalFile, optionalServerUrl, wholeNumber } from './kinds';
import type { Setting } from './setting';

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
