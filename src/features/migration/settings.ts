import { optionalFile, optionalServerUrl, type Setting, wholeNumber, writtenFile } from '../../config/kinds';

export const ROWS = {
  OLD_URL: {
    default: '',
    kind: optionalServerUrl,
    description:
      'URL of the old server, if the service is a reverse proxy in front of it during the migration; empty for none.',
  },
  CUTOVER_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with the server that answers each operation and binding; if empty, the old server answers all, and reads are compared.',
    reloads: true,
  },
  OLD_TIMEOUT_SECONDS: {
    default: '120',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for a silent old server; the caller then gets 502.',
  },
  SHADOW_CONCURRENCY: {
    default: '16',
    kind: wholeNumber(1, 1000, 'requests'),
    description:
      'Maximum number of requests compared at once in this process; further ones are not compared.',
  },
  SHADOW_TIMEOUT_SECONDS: {
    default: '10',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Timeout for responses that are only compared.',
  },
  RECORD_FILE: {
    default: '',
    kind: writtenFile,
    reloads: true,
    description:
      'File for recording requests, to be compared later; empty for none. It contains personal data and passwords. The unit’s `ReadWritePaths=` must name a folder outside `DATA_DIR`.',
  },
  RECORD_MAX_BYTES: {
    default: '268435456',
    kind: wholeNumber(1_048_576, 1_099_511_627_776, 'bytes'),
    description: 'Maximum size of all recordings; beyond it the oldest are deleted.',
  },
} satisfies Record<string, Setting>;
