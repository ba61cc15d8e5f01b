import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Compiles the sources; also the compiler of the tests that `npm run mutate` runs. */
export const compile = {
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  // Jest loads every package again for every test file; most files use few of those that they import.
  module: { type: 'commonjs', lazy: true },
};

/** Runs before each test file. */
export const setupFilesAfterEnv = ['<rootDir>/test/harness/require-expectation.ts'];

const project = (displayName, { globalSetup, ...options }) => ({
  displayName,
  testEnvironment: '<rootDir>/test/harness/test-environment.cjs',
  testRunner: '<rootDir>/test/harness/test-runner.cjs',
  // With src for the files that no test loads, which `npm run coverage` counts as well.
  roots: ['<rootDir>/src', '<rootDir>/test'],
  // import() names the compiled file, as Node.js requires; here there is only its source.
  moduleNameMapper: { '^(\\.{1,2}/[a-z/-]+)\\.js$': ['$1.js', '$1'] },
  transform: {
    '^.+\\.ts$': ['@swc/jest', compile],
    '/(?:otlp-exporter-base|marked)/.+\\.js$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } }, module: { type: 'commonjs' } },
    ],
  },
  // The first imports while it runs, which Jest lets no package do; the second has ES modules alone.
  transformIgnorePatterns: ['/node_modules/(?!@opentelemetry/otlp-exporter-base/|marked/)'],
  setupFilesAfterEnv,
  globalSetup: `<rootDir>/test/harness/projects/${globalSetup}.ts`,
  ...options,
});

const ENDURANCE = '<rootDir>/test/endurance/';
const PLANTED_BUGS = '<rootDir>/test/simulation/planted-bugs.test.ts';

/** The first ring: Node.js and npm are enough, and no test starts another program. */
const fast = project('fast', {
  globalSetup: 'fast',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '\\.(?:program|database|browser|endurance|windows)\\.test\\.ts$',
    ENDURANCE,
    PLANTED_BUGS,
  ],
  globals: { TESTED_ENGINES: ['sqlite'] },
});

/** Tests whose subject is the process: signals, exit codes, standard streams, several processes. */
const programs = project('programs', {
  globalSetup: 'programs',
  testMatch: ['**/*.program.test.ts', '**/*.processes.test.ts'],
  globals: { TESTED_ENGINES: ['sqlite'], STARTS_PROGRAMS: true },
});

/** Everything about SQL once more on PostgreSQL, and what only PostgreSQL has. */
const databases = project('databases', {
  globalSetup: 'databases',
  globalTeardown: '<rootDir>/test/harness/projects/databases-end.ts',
  testMatch: ['**/*.engines.test.ts', '**/*.database.test.ts'],
  testPathIgnorePatterns: [ENDURANCE],
  globals: { TESTED_ENGINES: ['postgres'] },
});

/** The pages in Chromium. */
const browser = project('browser', {
  globalSetup: 'fast',
  testMatch: ['**/*.browser.test.ts'],
  globals: { TESTED_ENGINES: ['sqlite'] },
});

/** The program on Windows' Node.js, under Wine. */
const windows = project('windows', {
  globalSetup: 'windows',
  globalTeardown: '<rootDir>/test/harness/projects/windows-end.ts',
  testMatch: ['**/*.windows.test.ts'],
  globals: { TESTED_ENGINES: ['sqlite'] },
});

/** Kills, failover and moves under load; growth of time and memory. */
const endurance = project('endurance', {
  globalSetup: 'databases',
  globalTeardown: '<rootDir>/test/harness/projects/databases-end.ts',
  testMatch: [`${ENDURANCE}**/*.test.ts`, '**/*.endurance.test.ts'],
  globals: { TESTED_ENGINES: ['sqlite', 'postgres'] },
});

/** The simulation finds bugs that replace whole modules, which only Jest's own runner can. */
const simulation = project('simulation', {
  globalSetup: 'fast',
  testMatch: [PLANTED_BUGS],
  // Jest's own coverage places statements elsewhere than that of run-test-file.ts; together they would be counted twice.
  coveragePathIgnorePatterns: ['/'],
  testEnvironment: 'node',
  testRunner: 'jest-circus/runner',
});

// By its name alone, `npm run test:windows`: few changes concern it, and programs start slowly under Wine.
const selects = ({ displayName }) => process.argv.includes(displayName);
const projects = [endurance, browser, simulation, programs, databases, fast];
if (selects(windows)) projects.push(windows);

const needs = {
  PostgreSQL: [
    process.env.TEST_DATABASE_URL ?? process.env.POSTGRES_ROOT ?? '/usr/lib/postgresql',
    [databases, endurance],
  ],
  Chromium: [process.env.CHROMIUM ?? '/usr/bin/chromium', [browser]],
};
// With CI=true nothing is left out: the tests fail where what they need is missing.
const isWhole = process.env.CI === 'true';
const missing = Object.entries(needs).filter(
  ([, [path]]) => !isWhole && !path.includes('://') && !existsSync(path),
);
const left = missing.flatMap(([, [, projects]]) => projects);
const selectsFirstRing = selects(fast);
if (!selectsFirstRing) {
  for (const [program, [path, projects]] of missing) {
    const names = projects.map(({ displayName }) => displayName).join(', ');
    console.error(`Left out: ${names} (no ${program} at ${path}).`);
  }
}

export default {
  projects: projects.filter((each) => !left.includes(each)),
  // Ends what hangs; a program under Wine takes a minute on a busy machine.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/test/harness/sequencer.mjs',
  // Half of what the second ring takes is waiting, for programs and databases. Set here, not in package.json, where a
  // second --maxWorkers on the command line would be read as one with it: "100%,2" is 100 workers.
  maxWorkers: availableParallelism() + (selectsFirstRing ? 0 : 2),
};
