import { jestExpect } from '@jest/expect';
import { type AssertionResult, createEmptyTestResult, type TestResult } from '@jest/test-result';
import type { Circus, Config } from '@jest/types';
import type { CoverageMapData } from 'istanbul-lib-coverage';
import * as circus from 'jest-circus';
import { formatResultsErrors } from 'jest-message-util';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

import type { Options } from '@swc/core';

import { COVERAGE, countStatements } from '../../scripts/harness/circus/count-statements';
import { ModuleLoader } from '../../scripts/harness/circus/module-loader';
import { provideGlobals } from '../../scripts/harness/circus/test-globals';

/** Jest's circus reads it at the start of a run. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** Jest sets a hundred, and an error is made for each test and each assertion. */
const FRAMES = 20;

/** Modules without a state but small memories: they import no others. */
const KEPT = /[/\\]src[/\\](?:asmx|support|features[/\\]turkish)[/\\]/;

// Four times the usual: see docs/internals/decisions.md. Later versions of Node.js have no such flag.
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=264000');

let loader: ModuleLoader | undefined;
let undoMocks = (): void => undefined;

/**
 * Runs a test file with Jest's own functions in this process, where packages are loaded by Node.js and once. Jest's
 * runner gives each test file a context and packages of its own, which takes four times as long as the tests do. The
 * project's own modules with a state are loaded again for each test file. What a test asks of Jest beyond its functions,
 * mocks of functions and timers is not here: `jest.mock`.
 */
export async function runTestFile(
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  environment: { readonly global: { readonly console: Console } },
  _runtime: unknown,
  path: string,
): Promise<TestResult> {
  const { rootDir, globals, setupFilesAfterEnv } = config;
  loader ??= await open(globalConfig, config);
  Error.stackTraceLimit = FRAMES;
  const { console } = globalThis;
  const before = { ...process.env };
  const exit = Object.getOwnPropertyDescriptor(process, 'exit') ?? {};
  Object.defineProperty(process, 'exit', { ...exit, value: refuseExit });
  circus.resetState();
  // A module counts its statements where it was loaded.
  loader.forget(globalConfig.collectCoverage ? undefined : KEPT);
  Reflect.deleteProperty(globalThis, COVERAGE);
  Object.assign(globalThis, globals, { console: environment.global.console });
  Object.assign(globalThis, { [TIMEOUT]: globalConfig.testTimeout ?? 5000 });
  jestExpect.setState({ expand: globalConfig.expand, testPath: path });
  const { testNamePattern } = globalConfig;
  if (testNamePattern) circus.getState().testNamePattern = new RegExp(testNamePattern, 'i');
  try {
    for (const each of [...setupFilesAfterEnv, path]) loader.load(each);
    return resultOf(await circus.run(), globalConfig, config, path);
  } finally {
    letGo(circus.getState().rootDescribeBlock);
    undoMocks();
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
    for (const name of Object.keys(process.env))
      if (!(name in before)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
    process.chdir(rootDir);
    globalThis.console = console;
    Object.defineProperty(process, 'exit', exit);
  }
}

/**
 * Lets go of the functions of tests. A timer or socket that a test left open keeps that test, and so would keep the modules
 * of its file and its databases to the end of the run.
 */
function letGo({ hooks, children }: Circus.DescribeBlock): void {
  for (const each of [...hooks, ...children]) {
    if (each.type === 'describeBlock') letGo(each);
    else Object.assign(each, { fn: undefined, asyncError: undefined });
  }
}

/** Stands for `process.exit`, which would end the run without a word, and with success. */
function refuseExit(code: unknown): never {
  throw new Error(
    `This test, or what one before it left running, would end the process with ${String(code)}`,
  );
}

function compilerOptions({ transform }: Config.ProjectConfig): Options {
  const [, , options] = transform.find(([, path]) => path.includes('@swc/jest')) ?? [];
  return options as Options; // As jest.config.mjs gives them to this compiler.
}

async function open(
  { collectCoverage }: Config.GlobalConfig,
  config: Config.ProjectConfig,
): Promise<ModuleLoader> {
  undoMocks = provideGlobals();
  circus.addEventHandler(onEvent);
  process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  const { rootDir } = config;
  const instrument = collectCoverage ? await countStatements(join(rootDir, 'src')) : undefined;
  return new ModuleLoader(rootDir, compilerOptions(config), instrument);
}

/** Does what Jest's own adapter of its circus does. */
function onEvent(event: Circus.Event): void {
  if (event.name === 'test_start') jestExpect.setState({ currentTestName: titlesOf(event.test).join(' ') });
  if (event.name === 'test_done') {
    const missing = jestExpect.extractExpectedAssertionsErrors();
    event.test.errors.push(...missing.map(({ error }) => error));
  }
}

function titlesOf({ name, parent }: Circus.TestEntry): readonly string[] {
  const names: string[] = [name];
  for (let block = parent; block.parent !== undefined; block = block.parent) names.unshift(block.name);
  return names;
}

function onUncaught(error: unknown): void {
  const { currentlyRunningTest, unhandledErrors } = circus.getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
}

function resultOf(
  { testResults, unhandledErrors }: Circus.RunResult,
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  path: string,
): TestResult {
  const results = testResults.map(assertionResultOf);
  const count = (...statuses: readonly AssertionResult['status'][]): number =>
    results.filter(({ status }) => statuses.includes(status)).length;
  const [unhandled] = unhandledErrors.map((text) => loader?.inSource(text) ?? text);
  const failures = [formatResultsErrors(results, config, globalConfig, path), unhandled];
  return {
    ...createEmptyTestResult(),
    testResults: results,
    testFilePath: path,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    ...(COVERAGE in globalThis && { coverage: Reflect.get(globalThis, COVERAGE) as CoverageMapData }),
    failureMessage: failures.filter(Boolean).join('\n') || null,
    ...(unhandled !== undefined && { testExecError: { message: unhandled, stack: unhandled } }),
  };
}

function assertionResultOf(result: Circus.TestResult): AssertionResult {
  const [, ...titles] = result.testPath.map(String);
  return {
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1) ?? '',
    fullName: titles.join(' '),
    status: statusOf(result),
    duration: result.duration ?? null,
    failureMessages: result.errors.map((error) => loader?.inSource(error) ?? error),
    failureDetails: result.errorsDetailed.map(inSource),
    invocations: result.invocations,
    numPassingAsserts: result.numPassingAsserts,
    retryReasons: result.retryReasons,
    location: result.location ?? null,
  };
}

/** Gives an error, and what caused it, positions in the sources. */
function inSource(error: unknown): unknown {
  for (let each = error; each instanceof Error && each.stack !== undefined; each = each.cause)
    each.stack = loader?.inSource(each.stack) ?? each.stack;
  return error;
}

function statusOf({ status, errors }: Circus.TestResult): AssertionResult['status'] {
  if (status === 'skip') return 'pending';
  if (status === 'todo') return 'todo';
  return errors.length > 0 ? 'failed' : 'passed';
}
