import { openAccess, refuseUnknownOperations } from './endpoints';
import { type Config, dataPaths, isThisMachine, SettingError, type Settings } from '../config';
import { deliveryFindings } from '../delivery';
import { loginFindings } from '../admin/login/admin-login';
import { attempted, type Finding } from '../support/errors';
import { ALL_FEATURES } from '../features/feature';
import { exposedFiles, exposedSecretFiles } from '../support/private-files';
import { tlsFindings } from '../access/tls';
import { DAY_MS } from '../support/durations';

/** Runtime versions, as in `process.versions`. */
interface Runtime {
  readonly node: string;
}

/**
 * Checks the settings and their files before anything is opened: for the start and for `school-notifications
 * check`. Changes nothing and contacts no one.
 */
export async function preflight(
  settings: Settings,
  { node }: Runtime = process.versions,
): Promise<readonly Finding[]> {
  const isFatal = settings.findings.some(({ level }) => level === 'fatal');
  const others = isFatal
    ? []
    : [...(await findingsForConfig(settings.config)), ...findingsForModes(settings)];
  return [...settings.findings, ...others, ...nodeFindings(node, Date.now())].map((finding) => ({
    ...finding,
    message: settings.located(finding.message),
  }));
}

/** End of support of each major version of Node.js: https://github.com/nodejs/Release. */
const LAST_DAYS_OF_NODE: Readonly<Record<string, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

/**
 * Warns if Node.js no longer gets security fixes.
 *
 * @param version - as in `process.versions.node`
 * @param now - milliseconds since 1970 UTC
 */
export function nodeFindings(version: string, now: number): readonly Finding[] {
  const [major = ''] = version.split('.');
  const lastDay = LAST_DAYS_OF_NODE[major];
  if (lastDay === undefined || now < Date.parse(lastDay) + DAY_MS) return [];
  return [
    {
      level: 'warn',
      message: `Node.js ${major} has received no security fixes since ${lastDay}. Upgrade to Node.js 24.`,
      fields: { node: version },
    },
  ];
}

async function findingsForConfig(config: Config): Promise<readonly Finding[]> {
  return [
    ...attempted(() => {
      refuseSharedMemory(config);
      refuseUnknownOperations(config.DISABLED_BINDINGS);
      return [];
    }),
    ...tlsFindings(config),
    ...attempted(() => findingsForAccess(config)),
    ...findingsForAddress(config),
    ...(await Promise.all(ALL_FEATURES.map(async ({ findings }) => (await findings?.(config)) ?? []))).flat(),
    ...loginFindings(config),
    ...deliveryFindings(config),
  ];
}

/** Warns of files and folders that other users can access. */
function findingsForModes({ config, secretFiles }: Settings): readonly Finding[] {
  return [...exposedFiles(dataPaths(config)), ...exposedSecretFiles(secretFiles)].map(
    ({ path, mode, message }): Finding => ({ level: 'warn', message, fields: { path, mode } }),
  );
}

/** Refuses an in-memory database with several processes. A worker is always a single process. */
function refuseSharedMemory({ PROCESSES, ROLE, DATABASE_URL }: Config): void {
  if (PROCESSES === 1 || ROLE === 'worker' || DATABASE_URL !== 'sqlite::memory:') return;
  throw new SettingError(
    'PROCESSES must be 1 with a database in memory, because each process would have its own.',
  );
}

function findingsForAccess(config: Config): readonly Finding[] {
  if (openAccess(config)?.knowsCertificates !== true || config.TLS_CLIENT_CA_FILE !== undefined) return [];
  return [
    {
      level: 'warn',
      message: 'ACCESS_FILE identifies callers by certificate, which requires TLS_CLIENT_CA_FILE.',
    },
  ];
}

/** Warns of an unprotected service that other machines can reach, and of unusable addresses. */
function findingsForAddress(config: Config): readonly Finding[] {
  const { ROLE, HOST, ACCESS_FILE, ALLOWED_HOSTS, TLS_CLIENT_CA_FILE, TLS_CERT_FILE, BASE_URL } = config;
  if (ROLE === 'worker') return [];
  const isOpen = !isThisMachine(HOST);
  const messages = {
    'Anyone who can reach this port may call every operation. Set ACCESS_FILE to restrict it.':
      isOpen && ACCESS_FILE === undefined && TLS_CLIENT_CA_FILE === undefined,
    'Any host name is accepted, which allows DNS rebinding attacks from web pages. Set ALLOWED_HOSTS to restrict it.':
      isOpen && ALLOWED_HOSTS === undefined,
    'BASE_URL begins with http://, although the service uses TLS. Change it to https://.':
      TLS_CERT_FILE !== undefined && /^http:/i.test(BASE_URL ?? ''),
  };
  return Object.entries(messages)
    .filter(([, applies]) => applies)
    .map(([message]) => ({ level: 'warn', message }));
}
