import { availableParallelism } from 'node:os';

export default {
  testEnvironment: '<rootDir>/test/harness/environment.cjs',
  // With src for what no test loads, which coverage counts as well.
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // import() names the compiled file, as Node.js wants it; here there is only its source.
  moduleNameMapper: { '^\\./([a-z-]+)\\.js$': ['./$1.js', './$1'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        // Jest loads every package anew for every test file; most files use few of those that they import.
        module: { type: 'commonjs', lazy: true },
      },
    ],
    '/(?:otlp-exporter-base|marked)/.+\\.js$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } }, module: { type: 'commonjs' } },
    ],
  },
  // The first imports while it runs, which Jest lets no package do; the second has ES modules alone.
  transformIgnorePatterns: ['/node_modules/(?!@opentelemetry/otlp-exporter-base/|marked/)'],
  setupFilesAfterEnv: ['<rootDir>/test/harness/require-expectation.ts'],
  globalSetup: '<rootDir>/test/harness/global-setup.ts',
  globalTeardown: '<rootDir>/test/harness/global-teardown.ts',
  testTimeout: 120_000,
  testSequencer: '<rootDir>/test/harness/sequencer.mjs',
  // Half of what the tests do is waiting, for services that start and for databases.
  maxWorkers: availableParallelism() + 2,
};
