import { SECRET_FILE_SETTINGS, SETTINGS } from '../../src/config';
import { readRepositoryFile, repositoryFiles } from '../harness/repository-files';

/** Variables that tests read, and Node.js. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'BACKUP_COUNT',
  'CERT_HAS_EXPIRED',
  'CERTIFICATE_KEY',
  'COMPARE_NEW_HEADERS',
  'COMPARE_OLD_HEADERS',
  'DOOR_REQUESTS',
  'FUZZ_COUNT',
  'SETTINGS_FILE',
  'FUZZ_SEED',
  'INVALID_ARGUMENT',
  'MOVE_ALL',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'NODE_EXTRA_CA_CERTS',
  'POSTGRES_ROOT',
  'SENDER_ID_MISMATCH',
  'THIRD_PARTY_AUTH_ERROR',
  'TEST_DATABASE_URL',
]);

describe('the documented settings', () => {
  it.each(repositoryFiles('.md'))('exist by every name that %s uses', (path) => {
    const named = readRepositoryFile(path).match(/(?<=[`\n ])[A-Z]+_[A-Z_]+(?=[`=])/g) ?? [];
    expect(
      named.filter(
        (name) => !(name in SETTINGS) && !SECRET_FILE_SETTINGS.includes(name) && !OF_OTHERS.has(name),
      ),
    ).toEqual([]);
  });
});
