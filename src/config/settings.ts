import { DELIVERY_SETTINGS } from './delivery-settings';
import {
  choice,
  closedBindings,
  databaseUrl,
  folder,
  listenAddress,
  namespaceUri,
  optionalBearerToken,
  optionalCountry,
  optionalFile,
  optionalFolder,
  optionalHosts,
  optionalPublicUrl,
  origins,
  port,
  portOrOff,
  processCount,
  sampleData,
  type Setting,
  shownDatabase,
  timeSpan,
  trustedProxies,
  wholeNumber,
} from './kinds';
import { LIMIT_SETTINGS, MOVING_SETTINGS, TRACING_SETTINGS } from './limit-settings';
import { PROXY_SETTINGS } from './proxy-settings';

/** Every setting of the service; `npm run docs` writes docs/reference/settings.md and .env.example from it. */
export const SETTINGS = {
  PORT: { default: '8080', kind: port, description: 'Port of the service.' },
  HOST: { default: '*', kind: listenAddress, description: 'Address the service listens on.' },
  BASE_URL: {
    default: '',
    kind: optionalPublicUrl,
    description:
      'Public address that the service descriptions name; when empty, scheme, host and port come from each request.',
  },
  SERVICE_NAMESPACE: {
    default: 'http://tempuri.org/',
    kind: namespaceUri,
    description: 'Target namespace of the service descriptions, and so of every message and SOAPAction.',
  },
  TRUST_PROXY: {
    default: 'off',
    kind: trustedProxies,
    description: 'Proxies whose forwarded headers are trusted.',
  },
  ALLOWED_HOSTS: {
    default: '',
    kind: optionalHosts,
    description: 'Host names that requests may use, any other gets 400; when empty, all are accepted.',
  },
  ALLOWED_ORIGINS: {
    default: '',
    kind: origins,
    description:
      'Sites whose pages may have a browser call operations, beside the service’s own; those of any other get 403.',
  },
  ACCESS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file that says who may call which operations; when empty, everybody may call all. SIGHUP has it read again.',
    reloads: true,
  },
  TEST_FORM: {
    default: 'local',
    kind: choice('local', 'everyone', 'off'),
    description:
      'Who can call operations from their pages: callers on the same machine, everyone, or nobody.',
  },
  ADMIN_PORT: {
    default: '8081',
    kind: portOrOff,
    description: 'Port of the operator’s pages: the console, and `/metrics`.',
  },
  ADMIN_HOST: {
    default: '127.0.0.1',
    kind: listenAddress,
    description:
      'Address the operator’s pages listen on; any but one of this machine needs `ADMIN_USERS_FILE`.',
  },
  ADMIN_USERS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file that says who may open the operator’s pages, written by `school-notifications admin-user`; when empty, everybody who reaches them may. SIGHUP has it read again.',
    reloads: true,
  },
  ADMIN_METRICS_TOKEN: {
    default: '',
    kind: optionalBearerToken,
    description:
      'Bearer token with which `/metrics` is read where ADMIN_USERS_FILE asks everybody else to log in; empty for none.',
    secret: true,
    reloads: true,
  },
  ALERTS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with the receivers of alerts, by e-mail or webhook; when empty, alerts are not sent.',
    holdsSecret: true,
    reloads: true,
  },
  TLS_CERT_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'PEM file with the service’s certificate and those between it and its issuer; with it the service speaks TLS 1.2 and 1.3 on `PORT`, and nothing else. SIGHUP has it read again.',
    reloads: true,
  },
  TLS_KEY_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'PEM file with the private key of that certificate, without a passphrase. SIGHUP has it read again.',
    holdsSecret: true,
    reloads: true,
  },
  TLS_CLIENT_CA_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'PEM file with the certificates of those who issue certificates to callers. With ACCESS_FILE that says who needs one; without it, every connection does. SIGHUP has it read again.',
    reloads: true,
  },
  HTTP_PORT: {
    default: 'off',
    kind: portOrOff,
    description:
      'Port without TLS beside a `PORT` with it: it shows browsers the way there, answers `/healthz` and `/readyz`, and takes no calls.',
  },
  PROCESSES: {
    default: '1',
    kind: processCount,
    description:
      'Number of processes that answer requests on the shared port; above 1, one more process delivers messages and another supervises them all.',
  },
  LOG_LEVEL: {
    default: 'info',
    kind: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    description: 'Lowest level that is logged; requests are `info`, failures of the service `error`.',
  },
  LOG_CLIENT: {
    default: 'off',
    kind: choice('off', 'network', 'address'),
    description:
      'What the log and the list of callers in the database say of a client’s address: nothing, its network (24 bits, of IPv6 48), or all of it.',
  },
  DATA_DIR: { default: './data', kind: folder, description: 'Folder for everything the service writes.' },
  DATABASE_URL: {
    default: 'sqlite:{DATA_DIR}/service.db',
    kind: databaseUrl,
    description: 'Database that holds all data.',
    secret: true,
    shown: shownDatabase,
  },
  DATABASE_POOL_SIZE: {
    default: '10',
    kind: wholeNumber(2, 1000, 'connections'),
    description: 'Largest number of connections to PostgreSQL; half of them only read.',
  },
  DATABASE_STATEMENT_TIMEOUT_SECONDS: {
    default: '10',
    kind: wholeNumber(1, 3600, 'seconds'),
    description: 'Longest time one statement may take on PostgreSQL.',
  },
  SAMPLE_DATA: {
    default: 'checkout',
    kind: sampleData,
    description:
      'Whether a newly created database is filled with the sample school; `checkout` fills it where the service runs from a checkout of its source, as `npm start` there does, and leaves it empty where it is installed.',
  },
  BACKUP_FOLDER: {
    default: '',
    kind: optionalFolder,
    description:
      'Folder into which the service backs up its SQLite database while it runs; when empty, it makes no backups. Best on another disk.',
  },
  BACKUP_EVERY: {
    default: '6h',
    kind: timeSpan,
    description: 'How often it does that.',
  },
  BACKUP_KEEP: {
    default: '28',
    kind: wholeNumber(1, 100_000, 'backups'),
    description: 'How many of its own backups stay in BACKUP_FOLDER; older ones go when a new one is good.',
  },
  DEFAULT_COUNTRY: {
    default: '',
    kind: optionalCountry,
    description:
      'Country assumed for telephone numbers without a country code; when empty, their digits are kept as they are.',
  },
  READ_ANSWERS: {
    default: 'empty',
    kind: choice('empty', 'json'),
    description:
      'What GetExamTableByExamId and GetStudentsNoteType return over GET and POST: nothing, as the contract says, or the JSON document that phone apps read. SOAP responses and the WSDL do not change.',
  },
  DISABLED_BINDINGS: {
    default: '',
    kind: closedBindings,
    description:
      'Operations that are not offered over GET or POST; their service descriptions and pages leave that out.',
  },
  ...LIMIT_SETTINGS,
  ...PROXY_SETTINGS,
  ...TRACING_SETTINGS,
  ...MOVING_SETTINGS,
  ...DELIVERY_SETTINGS,
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
