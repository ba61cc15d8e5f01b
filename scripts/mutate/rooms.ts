/** A room whose code is mutated, and the tests that must notice: few, so that a room takes minutes. */
export interface MutatedRoom {
  /** Patterns of files. */
  readonly mutate: readonly string[];
  /** Patterns of test files. */
  readonly tests: readonly string[];
}

/** Types and re-exports hold nothing that a test could notice. */
const NO_CODE = ['!src/**/index.ts'];

/** Each type of ASMX, sent and read over every binding as it was recorded. */
const ALL_TYPES = 'test/conformance/types.test.ts';

/** Files that take seconds and are not needed: faster ones beside them notice what they do. */
const SLOW = [
  'worker.engines',
  'deliver-mark-notes',
  'outage',
  'corpus',
  'limits',
  'list-memory',
  'killed',
  'under-load',
];

/** Test files of the first ring. */
const TESTS = `!(*.@(program|database|browser|windows|endurance)|${SLOW.join('|')}).test.ts`;

/**
 * @param path - a folder of `src/`, whose tests are in the folder of the same name of `test/`
 * @param more - patterns of other test files
 */
function room(path: string, ...more: readonly string[]): MutatedRoom {
  return { mutate: [`src/${path}/**/*.ts`, ...NO_CODE], tests: [`test/${path}/**/${TESTS}`, ...more] };
}

/** The rooms that `npm run mutate` knows, by the name that `--room` takes. */
export const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  'delivery/workers': {
    mutate: ['src/delivery/workers/**/*.ts', 'src/delivery/{outcome,clock}.ts'],
    tests: [`test/delivery/workers/${TESTS}`, `test/delivery/${TESTS}`],
  },
  'delivery/policy': room('delivery/policy'),
  'delivery/senders': room(
    'delivery/senders',
    `test/delivery/${TESTS}`,
    `test/delivery/workers/${TESTS}`,
    `test/features/hours/${TESTS}`,
    'test/delivery/deliver-mark-notes.test.ts',
  ),
  'delivery/wording': {
    mutate: ['src/delivery/{wording,template,sms-parts}.ts'],
    tests: [
      'test/delivery/{wording,sms-parts}.test.ts',
      'test/delivery/gateways/sms-gateway.test.ts',
      'test/features/hours/delivery-file.test.ts',
      'test/docs/delivery-files.test.ts',
    ],
  },
  'store/outbox': room(
    'store/outbox',
    'test/store/queries/query-plans.engines.test.ts',
    'test/delivery/policy/{send-policy,erase-expired}.engines.test.ts',
    'test/features/pumping/code-traffic.engines.test.ts',
    'test/delivery/{expiry,workers/hold-log}.test.ts',
  ),
  'asmx/http': room(
    'asmx/http',
    'test/asmx/form/form-parameters.test.ts',
    'test/asmx/documents/test-form-view.test.ts',
    'test/access/networks.test.ts',
    'test/asmx/{dispatch,transport}.test.ts',
  ),
  'asmx/form': {
    mutate: ['src/asmx/form.ts'],
    tests: [`test/asmx/form/${TESTS}`, 'test/asmx/{dispatch,observe,body-limits}.test.ts', ALL_TYPES],
  },
  'asmx/results': room(
    'asmx/results',
    'test/asmx/handler-errors.test.ts',
    'test/asmx/{soap/soap,form/form}-answers.test.ts',
    ALL_TYPES,
  ),
  'asmx/contract': room('asmx/contract', `test/asmx/types/${TESTS}`, ALL_TYPES),
  'asmx/types': room(
    'asmx/types',
    'test/asmx/soap/value-reader.test.ts',
    `test/asmx/form/${TESTS}`,
    ALL_TYPES,
  ),
  'asmx/xml': room('asmx/xml'),
  'asmx/soap': room('asmx/soap', 'test/asmx/{handler-errors,authorizer}.test.ts', ALL_TYPES),
  'asmx/documents': room(
    'asmx/documents',
    'test/asmx/observe.test.ts',
    'test/asmx/contract/namespace.test.ts',
  ),
  asmx: {
    mutate: ['src/asmx/*.ts', ...NO_CODE],
    tests: [
      `test/asmx/${TESTS}`,
      'test/asmx/http/{allowed-hosts,foreign-pages}.test.ts',
      'test/asmx/documents/{documents,pages}.test.ts',
      `test/asmx/contract/${TESTS}`,
    ],
  },
  operations: {
    mutate: ['src/operations/!(contract-types|index).ts'],
    tests: ['test/operations/!(contract-types).test.ts'],
  },
  'store/csv': room(
    'store/csv',
    'test/store/queries/current-device.engines.test.ts',
    'test/features/workbooks/{cell-kinds,xlsx-formats,import-xlsx}.test.ts',
  ),
  'features/workbooks': room('features/workbooks'),
  'store/forget': {
    mutate: ['src/store/forget.ts'],
    tests: [
      'test/cli/forget.test.ts',
      'test/store/forget.engines.test.ts',
      'test/store/outbox/removal-of-person.engines.test.ts',
    ],
  },
  'store/keeping': room(
    'store/keeping',
    `test/features/{backups,move}/${TESTS}`,
    'test/operations/key-collation.engines.test.ts',
  ),
  'store/sqlite': room(
    'store/sqlite',
    'test/features/backups/open-file.test.ts',
    'test/store/{store,inspect,open-errors,new-database}.engines.test.ts',
    'test/store/outbox/{messages,claims,leases}.engines.test.ts',
  ),
  access: { mutate: ['src/access/!(tls).ts', ...NO_CODE], tests: [`test/access/${TESTS}`] },
  'access/tls': { mutate: ['src/access/tls.ts'], tests: [`test/access/tls/${TESTS}`] },
  'admin/login': room(
    'admin/login',
    'test/admin/console/{forged-requests,roles}.test.ts',
    `test/features/audit/${TESTS}`,
  ),
  'admin/console': room(
    'admin/console',
    'test/admin/console/outage.test.ts',
    `test/features/{people,turkish}/${TESTS}`,
  ),
  'admin/alerts': room(
    'admin/alerts',
    'test/features/{alarms/notifier.engines,{backups,folder,migration,pumping,receipts}/alert-rules}.test.ts',
    // Writes the rules for Prometheus.
    'test/docs/generated.test.ts',
  ),
  service: room('service'),
  'support/phones': {
    mutate: ['src/support/phones.ts'],
    tests: ['test/support/read-phone.test.ts', 'test/operations/arguments.test.ts'],
  },
  'migration/verdict': {
    mutate: ['src/features/migration/verdict/*.ts', 'src/features/migration/{trees,messages}.ts'],
    tests: [
      `test/features/migration/verdict/${TESTS}`,
      'test/features/migration/compare-descriptions.test.ts',
      // Writes the texts about known differences.
      'test/docs/generated.test.ts',
    ],
  },
  'migration/comparing': {
    mutate: [
      'src/features/migration/{comparing,probe}/*.ts',
      'src/features/migration/{calls,descriptions}.ts',
    ],
    tests: [
      `test/features/migration/{comparing,probe,command}/${TESTS}`,
      'test/features/migration/{calls,compare-descriptions}.test.ts',
    ],
  },
  'migration/report': {
    mutate: ['src/features/migration/{report,traffic}/*.ts', 'src/features/migration/masking.ts'],
    tests: [
      `test/features/migration/{report,traffic}/${TESTS}`,
      'test/features/migration/{masking,calls}.test.ts',
    ],
  },
  'migration/reverse-proxy': room(
    'features/migration/reverse-proxy',
    'test/features/migration/{old-server,settings}.test.ts',
  ),
};
