/** A room whose code is mutated, and the tests that must notice: few, so that a room takes minutes. */
export interface MutatedRoom {
  /** Patterns of files. */
  readonly mutate: readonly string[];
  /** Patterns of test files. */
  readonly tests: readonly string[];
  /** True if the tests start programs, which are to have the mutants, too. */
  readonly startsPrograms?: true;
}

/** Types and re-exports hold nothing that a test could notice. */
const NO_CODE = ['!src/**/index.ts'];

/** Each type of ASMX, sent and read over every binding as it was recorded. */
const ALL_TYPES = 'test/conformance/types.test.ts';

/** @param path - a folder, or a file, of `src/` */
function room(path: string, ...tests: readonly string[]): MutatedRoom {
  return { mutate: path.endsWith('.ts') ? [`src/${path}`] : [`src/${path}/**/*.ts`, ...NO_CODE], tests };
}

/** The rooms that `npm run mutate` knows, by the name that `--room` takes. */
export const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  'delivery/workers': {
    mutate: ['src/delivery/workers/**/*.ts', 'src/delivery/{outcome,clock}.ts'],
    tests: ['test/delivery/workers/*.test.ts', 'test/delivery/*.test.ts'],
  },
  'delivery/policy': room('delivery/policy', 'test/delivery/policy/!(one-turn).test.ts'),
  'store/outbox': room(
    'store/outbox',
    'test/store/outbox/*.test.ts',
    'test/store/queries/query-plans{,.engines}.test.ts',
    'test/delivery/policy/{send-policy,erase-expired}{,.engines}.test.ts',
  ),
  'asmx/http': room(
    'asmx/http',
    'test/asmx/http/**/*.test.ts',
    'test/asmx/form/form-parameters.test.ts',
    'test/asmx/documents/test-form-view.test.ts',
    'test/access/networks.test.ts',
    'test/asmx/{dispatch,transport}.test.ts',
  ),
  'asmx/form': room(
    'asmx/form.ts',
    'test/asmx/form/**/*.test.ts',
    'test/asmx/{dispatch,observe}.test.ts',
    ALL_TYPES,
  ),
  'asmx/results': room(
    'asmx/results',
    'test/asmx/results/!(list-memory).test.ts',
    'test/asmx/handler-errors.test.ts',
    'test/asmx/{soap/soap,form/form}-answers.test.ts',
    ALL_TYPES,
  ),
  'asmx/contract': room(
    'asmx/contract',
    'test/asmx/contract/**/*.test.ts',
    'test/asmx/types/*.test.ts',
    ALL_TYPES,
  ),
  'asmx/types': room(
    'asmx/types',
    'test/asmx/types/*.test.ts',
    'test/asmx/soap/value-reader.test.ts',
    'test/asmx/form/*.test.ts',
    ALL_TYPES,
  ),
  'asmx/xml': room('asmx/xml', 'test/asmx/xml/xml-*.test.ts'),
  'asmx/soap': room(
    'asmx/soap',
    'test/asmx/soap/**/*.test.ts',
    'test/asmx/{handler-errors,authorizer}.test.ts',
    ALL_TYPES,
  ),
  'asmx/documents': {
    mutate: ['src/asmx/documents/*.ts', ...NO_CODE],
    tests: [
      'test/asmx/documents/{documents,help,metadata,document-negotiation,pages,test-form-view}.test.ts',
      'test/asmx/observe.test.ts',
    ],
  },
  asmx: {
    mutate: ['src/asmx/*.ts', ...NO_CODE],
    // Those of the limits take seconds, and meet everything.
    tests: [
      'test/asmx/!(limits).test.ts',
      'test/asmx/http/{allowed-hosts,foreign-pages}.test.ts',
      'test/asmx/documents/{documents,pages}.test.ts',
      'test/asmx/contract/*.test.ts',
    ],
  },
  'store/csv': room(
    'store/csv',
    'test/store/csv/*.test.ts',
    'test/store/queries/current-device{,.engines}.test.ts',
  ),
  'features/workbooks': room('features/workbooks', 'test/features/workbooks/*.test.ts'),
  'store/forget': {
    mutate: ['src/store/forget.ts'],
    tests: [
      'test/cli/forget.test.ts',
      'test/store/forget{,.engines}.test.ts',
      'test/store/outbox/removal-of-person{,.engines}.test.ts',
    ],
  },
  'store/keeping': room(
    'store/keeping',
    'test/store/keeping/*.test.ts',
    // Those that are killed are processes of their own, without mutants.
    'test/features/{backups,move}/!(under-load|killed*).test.ts',
    'test/operations/key-collation{,.engines}.test.ts',
  ),
  'store/sqlite': room(
    'store/sqlite',
    'test/store/sqlite/*.test.ts',
    'test/features/backups/open-file.test.ts',
    'test/store/{store,inspect,open-errors,new-database}{,.engines}.test.ts',
    'test/store/outbox/{messages,claims,leases}{,.engines}.test.ts',
  ),
  access: { mutate: ['src/access/!(tls).ts', ...NO_CODE], tests: ['test/access/*.test.ts'] },
  'admin/login': room(
    'admin/login',
    'test/admin/login/*.test.ts',
    'test/admin/console/{languages,roles}{,.engines}.test.ts',
    'test/features/audit/*.test.ts',
  ),
  'access/tls': room('access/tls.ts', 'test/access/tls/*.test.ts'),
  service: { ...room('service', 'test/service/*.test.ts'), startsPrograms: true },
  'admin/console': room('admin/console', 'test/admin/console/!(browser-console).test.ts'),
  'support/phones': room(
    'support/phones.ts',
    'test/support/read-phone.test.ts',
    'test/operations/arguments.test.ts',
  ),
  'migration/verdict': {
    mutate: ['src/features/migration/verdict/*.ts', 'src/features/migration/{trees,messages}.ts'],
    tests: ['test/features/migration/verdict/*.test.ts'],
  },
  'migration/comparing': {
    mutate: [
      'src/features/migration/{comparing,probe}/*.ts',
      'src/features/migration/{calls,descriptions}.ts',
    ],
    tests: [
      'test/features/migration/{comparing,probe}/*.test.ts',
      'test/features/migration/{calls,compare-descriptions}.test.ts',
      'test/cli/compare.test.ts',
    ],
  },
  'migration/report': {
    mutate: ['src/features/migration/{report,traffic}/*.ts', 'src/features/migration/masking.ts'],
    tests: [
      'test/features/migration/{report,traffic}/!(browser-report).test.ts',
      'test/features/migration/masking.test.ts',
    ],
  },
  'migration/reverse-proxy': room(
    'features/migration/reverse-proxy',
    'test/features/migration/reverse-proxy/*.test.ts',
  ),
};
