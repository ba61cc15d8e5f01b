import type { PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Command, Option } from 'commander';

import { ROOMS } from './rooms';

interface Arguments {
  readonly room?: string;
  readonly mutate?: string;
  readonly concurrency: string;
  readonly force?: true;
}

const FOLDER = 'build/mutation';

const { room, mutate, concurrency, force } = new Command('npm run mutate --')
  .description(
    'Puts small bugs into the code of a room, one by one, and lists those that its tests do not notice.',
  )
  .addOption(new Option('--room <name>', 'one room only').choices(Object.keys(ROOMS)))
  .option('--mutate <pattern>', "files of the room, or a part of one: 'src/asmx/xml/xml-text.ts:10-20'")
  .option('--concurrency <n>', 'test processes at once', '1')
  .option('--force', 'tries what earlier runs have tried, too')
  .parse()
  .opts<Arguments>();

async function run(name: string): Promise<void> {
  const { mutate: patterns, tests } = ROOMS[name] ?? { mutate: [], tests: [] };
  const report = `${FOLDER}/${name.replaceAll('/', '-')}`;
  const options: PartialStrykerOptions = {
    mutate: mutate?.split(',') ?? [...patterns],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    coverageAnalysis: 'perTest',
    // Which tests are a room's says the table; Jest would find nearly all of them related.
    jest: {
      enableFindRelatedTests: false,
      configFile: 'jest.config.mjs',
      config: { testMatch: tests.map((test) => `**/${test}`), globalSetup: null },
    },
    concurrency: Number(concurrency),
    reporters: ['progress-append-only', 'clear-text', 'html'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `${report}.html` },
    incremental: true,
    incrementalFile: `${report}.json`,
    force: force ?? false,
    tempDirName: `${FOLDER}/sandboxes`,
    ignorePatterns: ['/build', '/data', '/coverage', '/.ci'],
    thresholds: { high: 95, low: 85, break: 85 },
  };
  console.log(`\n${name}: report in ${report}.html`);
  // The package has no CommonJS.
  const { Stryker } = await import('@stryker-mutator/core');
  await new Stryker(options).runMutationTest();
}

async function main(): Promise<void> {
  // Each mutant meets them all: fewer, and always the same.
  process.env['FUZZ_COUNT'] ??= '2000';
  process.env['FUZZ_SEED'] ??= '20261120';
  for (const name of room === undefined ? Object.keys(ROOMS) : [room]) await run(name);
}

void main();
