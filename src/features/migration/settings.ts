import { optionalFile, optionalServerUrl, type Setting, writtenFile } from '../../config/kinds';

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
  RECORD_FILE: {
    default: '',
    kind: writtenFile,
    reloads: true,
    description:
      'File for recording requests, to be compared later; empty for none. It contains personal data and passwords. The unit’s `ReadWritePaths=` must name a folder outside `DATA_DIR`.',
  },
} satisfies Record<string, Setting>;

/** Lists what to do about settings of earlier versions. */
export const RETIRED = {
  OLD_TIMEOUT_SECONDS: 'remove it; a silent old server has 120 seconds',
  SHADOW_CONCURRENCY: 'remove it; 16 requests are compared at once',
  SHADOW_TIMEOUT_SECONDS: 'remove it; answers that are only compared have 10 seconds',
  RECORD_MAX_BYTES: 'remove it; recordings take up to 256 MB',
};
