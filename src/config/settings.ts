import { DELIVERY_SETTINGS } from './delivery-settings';
import {
  choice,
  closedBindings,
  collation,
  databaseUrl,
  folder,
  forwardedHeaders,
  listenAddress,
  namespaceUri,
  optionalBearerToken,
  optionalCountry,
  optionalFile,
  optionalHosts,
  optionalPublicUrl,
  origins,
  port,
  portOrOff,
  processCount,
  sampleData,
  type Setting,
  shownDatabase,
  trustedProxies,
  yesOrNo,
} from './kinds';
import { ALL_FEATURES, FEATURE_SETTINGS, type FeatureSectionTitle } from '../features/feature';
import { LIMIT_SETTINGS } from './limit-settings';
import { PROXY_SETTINGS } from './proxy-settings';

/**
 * All settings of the service; `npm run docs` writes docs/reference/settings.md and .env.example from them.
 */
export const SETTINGS = {
  PORT: { default: '8080', kind: port, description: 'Port of the service.' },
  HOST: { default: '*', kind: listenAddress, description: 'Address the service listens on.' },
  BASE_URL: {
    default: '',
    kind: optionalPublicUrl,
    description: 'Public URL shown in the WSDL; if empty, taken from each request.',
  },
  SERVICE_NAMESPACE: {
    default: 'http://tempuri.org/',
    kind: namespaceUri,
    description: 'Target namespace of the WSDL, and so of every message and SOAPAction.',
  },
  TRUST_PROXY: {
    default: 'off',
    kind: trustedProxies,
    description: 'Proxies whose forwarded headers are trusted.',
  },
  FORWARDED_HEADERS: {
    default: '',
    kind: forwardedHeaders,
    description:
      'Headers in which these proxies name scheme or host, in place of `X-Forwarded-Proto` and `X-Forwarded-Host`.',
  },
  ALLOWED_HOSTS: {
    default: '',
    kind: optionalHosts,
    description: 'Accepted Host names; requests with any other get 400. If empty, all are accepted.',
  },
  ALLOWED_ORIGINS: {
    default: '',
    kind: origins,
    description:
      'Sites whose pages may call operations from a browser, besides the service’s own; others get 403.',
  },
  ACCESS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with callers and the operations each may call; if empty, anyone may call any operation.',
    reloads: true,
  },
  TEST_FORM: {
    default: 'local',
    kind: choice('local', 'everyone', 'off'),
    description:
      'Who sees the test forms on the operation pages: callers on the same machine, everyone, or no one.',
  },
  ADMIN_PORT: {
    default: '8081',
    kind: portOrOff,
    description: 'Port of the console and `/metrics`.',
  },
  ADMIN_HOST: {
    default: '127.0.0.1',
    kind: listenAddress,
    description: 'Address of the console; an address reachable from other machines needs `ADMIN_USERS_FILE`.',
  },
  ADMIN_USERS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with the console users, written by `school-notifications admin-user`; if empty, no login is required.',
    reloads: true,
  },
  ADMIN_METRICS_TOKEN: {
    default: '',
    kind: optionalBearerToken,
    description: 'Bearer token for `/metrics`, for monitoring systems that cannot log in; empty for none.',
    secret: true,
    reloads: true,
  },
  TLS_CERT_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'PEM file with the service’s certificate and the intermediate ones. If set, `PORT` accepts only TLS 1.2 and 1.3.',
    reloads: true,
  },
  TLS_KEY_FILE: {
    default: '',
    kind: optionalFile,
    description: 'PEM file with the private key of the certificate, without a passphrase.',
    holdsSecret: true,
    reloads: true,
  },
  TLS_CLIENT_CA_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'PEM file with the CA certificates for client certificates. With ACCESS_FILE, that file says which callers need one; without it, all do.',
    reloads: true,
  },
  HTTP_PORT: {
    default: 'off',
    kind: portOrOff,
    description:
      'Port without TLS, in addition to `PORT`: redirects browsers to TLS and serves `/healthz` and `/readyz`, but no operations.',
  },
  PROCESSES: {
    default: '1',
    kind: processCount,
    description:
      'Number of processes that answer requests on the shared port; if above 1, another process delivers messages and another one supervises all.',
  },
  RELOAD_ON_CHANGE: {
    default: 'false',
    kind: yesOrNo,
    description:
      'Whether the settings file and the files that settings name are reloaded when they change; otherwise `school-notifications reload` or SIGHUP reloads them.',
  },
  LOG_LEVEL: {
    default: 'info',
    kind: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    description: 'Minimum log level; requests are logged as `info`, internal errors as `error`.',
  },
  LOG_CLIENT: {
    default: 'off',
    kind: choice('off', 'network', 'address'),
    description:
      'How much of a client’s address is logged and stored: nothing, its network (24 bits, or 48 for IPv6), or all of it.',
  },
  DATA_DIR: { default: './data', kind: folder, description: 'Folder for all files of the service.' },
  DATABASE_URL: {
    default: 'sqlite:{DATA_DIR}/service.db',
    kind: databaseUrl,
    description: 'Database for all data.',
    secret: true,
    shown: shownDatabase,
  },
  KEY_COLLATION: {
    default: '',
    kind: collation,
    description:
      'SQL Server collation by which ids of students, devices, exams, classes and notes are compared; if empty, they must match exactly. Cannot be changed once data is loaded.',
  },
  SAMPLE_DATA: {
    default: 'checkout',
    kind: sampleData,
    description:
      'Whether a new database is filled with the sample school; `checkout` fills it only if the service runs from a source checkout.',
  },
  DEFAULT_COUNTRY: {
    default: '',
    kind: optionalCountry,
    description:
      'Country assumed for phone numbers without a country code; if empty, their digits are used as they are.',
  },
  READ_ANSWERS: {
    default: 'empty',
    kind: choice('empty', 'json'),
    description:
      'What GetExamTableByExamId and GetStudentsNoteType return over GET and POST: nothing, as in the contract, or the JSON that phone apps read. SOAP and the WSDL are not affected.',
  },
  DISABLED_BINDINGS: {
    default: '',
    kind: closedBindings,
    description: 'Operations not offered over GET or POST. The WSDL and the pages leave these bindings out.',
  },
  ...LIMIT_SETTINGS,
  ...PROXY_SETTINGS,
  ...DELIVERY_SETTINGS,
  ...FEATURE_SETTINGS,
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

const CORE_SECTIONS = {
  PORT: 'Addresses and pages',
  TLS_CERT_FILE: 'TLS',
  PROCESSES: 'Processes and log',
  DATA_DIR: 'Data',
  DEFAULT_COUNTRY: 'Operations',
  MAX_BODY_BYTES: 'Limits on a request',
  REQUEST_TIMEOUT_SECONDS: 'Time limits',
  HTTP_PROXY: 'Outbound proxy',
  ROLE: 'SMS',
  PUSH_CHANNEL: 'Push messages',
  PROVIDER_TIMEOUT_SECONDS: 'Worker',
  DELIVERY_FILE: 'Texts and time zone',
  REPEAT_WINDOW: 'Limits on sending',
} as const satisfies Partial<Record<SettingName, string>>;

type CoreSectionTitle = (typeof CORE_SECTIONS)[keyof typeof CORE_SECTIONS];
/** Members of a tuple: without features, ESLint would refuse a union with `never`. */
type SectionTitle = [CoreSectionTitle, FeatureSectionTitle][number];

/** Titles of the sections of settings, each by the setting that begins it. */
export const SETTING_SECTIONS: Readonly<Record<string, SectionTitle>> = {
  ...CORE_SECTIONS,
  ...Object.fromEntries(
    ALL_FEATURES.flatMap(({ settings }) =>
      settings === undefined
        ? []
        : Object.keys(settings.rows)
            .slice(0, 1)
            // The list of features has the type of all titles.
            .map((first) => [first, settings.title as SectionTitle]),
    ),
  ),
};
