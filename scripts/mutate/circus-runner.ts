import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import { jestExpect } from '@jest/expect';
import type { Circus } from '@jest/types';
import type { CoveragePerTestId, InstrumenterContext, MutantCoverage } from '@stryker-mutator/api/core';
import {
  determineHitLimitReached,
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import type { Options } from '@swc/core';
import * as circus from 'jest-circus';

import { ModuleLoader } from '../harness/circus/module-loader';
import { provideGlobals } from '../harness/circus/test-globals';

/** The named exports of jest.config.mjs. */
interface JestConfig {
  readonly compile: Options;
  readonly setupFilesAfterEnv: readonly string[];
}

/** A test file that was run without a mutant. */
interface RunFile {
  readonly tests: readonly TestResult[];
  readonly coverage: MutantCoverage;
}

/** Carries what Stryker and the code that it has instrumented tell each other. */
const context = ((globalThis as { __stryker__?: InstrumenterContext }).__stryker__ ??= {});

/** The longest that a test may take that meets a mutant, in milliseconds. */
const TEST_LIMIT_MS = 4000;

/** Jest's circus reads it at the start of a run. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/**
 * Runs tests with Jest's own functions, in this process, and only those that a mutant can meet. Stryker's runner for
 * Jest starts the whole of Jest for each mutant, with all test files and their packages: some 20 seconds for those of
 * the SOAP room. Here packages stay loaded, and a mutant costs what its tests do. The project's own modules are
 * loaded afresh for each test file and mutant, so that no mutant leaves anything to the next, and constants made
 * at import are mutated as anything else.
 *
 * Programs that tests start have no mutants: only tests of the first ring run here.
 *
 * What a test asks of Jest beyond its functions, mocks of functions and timers is not here: `jest.mock`.
 */
class CircusRunner implements TestRunner {
  readonly #folder = process.cwd();
  #loader: ModuleLoader | undefined;
  #setUp: readonly string[] = [];

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    const url = pathToFileURL(join(this.#folder, 'jest.config.mjs')).href;
    const { compile, setupFilesAfterEnv } = (await import(url)) as JestConfig;
    this.#loader = new ModuleLoader(this.#folder, compile);
    this.#setUp = setupFilesAfterEnv.map((path) => path.replace('<rootDir>', this.#folder));
    provideGlobals();
    circus.addEventHandler(onEvent);
    // Databases that tests copy are made by the first who asks: not under a mutant.
    const path = join(this.#folder, 'test', 'harness', 'database-templates.ts');
    await (this.#loader.load(path) as { sqliteTemplates(): Promise<unknown> }).sqliteTemplates();
    process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  }

  async dryRun({ testFiles = [], timeout }: DryRunOptions): Promise<DryRunResult> {
    const files: RunFile[] = [];
    Object.assign(globalThis, { [TIMEOUT]: timeout });
    for (const path of testFiles) {
      const coverage = (context.mutantCoverage = { static: {}, perTest: {} });
      files.push({ tests: await this.#run(path), coverage });
    }
    delete context.mutantCoverage;
    // In this order mutants meet them.
    files.sort((a, b) => msOf(a.tests) - msOf(b.tests));
    return {
      status: DryRunStatus.Complete,
      tests: files.flatMap(({ tests }) => tests),
      mutantCoverage: {
        static: {},
        perTest: Object.assign({}, ...files.map(coverageByTest)) as CoveragePerTestId,
      },
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter = [], hitLimit, timeout } = options;
    const tests: TestResult[] = [];
    Object.assign(context, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 });
    // A test that never comes to its end is cheaper to give up here than the process.
    Object.assign(globalThis, { [TIMEOUT]: Math.min(timeout / 2, TEST_LIMIT_MS) });
    try {
      const wanted = new Set(testFilter);
      for (const path of new Set(testFilter.map(fileOf))) {
        tests.push(...(await this.#run(join(this.#folder, path), wanted)));
        if (tests.some(isFailed)) break;
      }
      const stuck = determineHitLimitReached(context.hitCount, context.hitLimit);
      if (stuck === undefined) await this.#tryTimeOutsWithoutMutant(tests);
      return toMutantRunResult(stuck ?? { status: DryRunStatus.Complete, tests });
    } finally {
      forgetMutant();
    }
  }

  /**
   * Others use the machine, too: a test that took too long counts only if it takes a small part of that
   * without the mutant.
   *
   * @throws Error if it does not: Stryker tries the mutant once more, in a new process, then leaves it out
   */
  async #tryTimeOutsWithoutMutant(tests: readonly TestResult[]): Promise<void> {
    const late = tests.filter(isLate).map(({ id }) => id);
    const [first] = late;
    if (first === undefined) return;
    forgetMutant();
    const start = performance.now();
    const again = await this.#run(join(this.#folder, fileOf(first)), new Set(late));
    const ms = performance.now() - start;
    if (ms > TEST_LIMIT_MS / 2 || again.some(isFailed)) {
      throw new Error(`Took too long, and ${String(Math.round(ms))} ms without the mutant: ${first}`);
    }
  }

  /** @param wanted - the tests' ids; all unless given, otherwise up to the first that fails */
  async #run(path: string, wanted?: ReadonlySet<string>): Promise<readonly TestResult[]> {
    const file = relative(this.#folder, path);
    circus.resetState();
    this.#loader?.forget();
    try {
      for (const each of [...this.#setUp, path]) this.#loader?.load(each);
    } catch (error) {
      return [resultOf(path, `${file}#`, 0, String(error))];
    }
    const tests = testsBelow(circus.getState().rootDescribeBlock);
    for (const test of tests) {
      ids.set(test, idOf(file, test));
      if (wanted?.has(idOf(file, test)) === false) test.mode = 'skip';
    }
    bail = wanted !== undefined;
    const { unhandledErrors } = await circus.run();
    const results = tests
      .filter(({ status }) => status === 'done')
      .map((test) => resultOf(path, idOf(file, test), test.duration ?? 0, messageOf(test.errors[0])));
    const [unhandled] = unhandledErrors;
    if (unhandled !== undefined) results.push(resultOf(path, `${file}#`, 0, unhandled));
    return results;
  }
}

function forgetMutant(): void {
  delete context.activeMutant;
  delete context.hitCount;
  delete context.hitLimit;
}

function isFailed({ status }: TestResult): boolean {
  return status === TestStatus.Failed;
}

/** As Jest's circus words it. */
function isLate(test: TestResult): boolean {
  return test.status === TestStatus.Failed && test.failureMessage.startsWith('Exceeded timeout of');
}

let bail = false;
const ids = new WeakMap<Circus.TestEntry, string>();

function idOf(file: string, { name, parent }: Circus.TestEntry): string {
  const names: string[] = [name];
  for (let block = parent; block.parent !== undefined; block = block.parent) names.unshift(block.name);
  return `${file}#${names.join(' ')}`;
}

function fileOf(id: string): string {
  return id.slice(0, id.indexOf('#'));
}

function resultOf(fileName: string, id: string, timeSpentMs: number, failureMessage?: string): TestResult {
  const test = { id, name: id.slice(id.indexOf('#') + 1), fileName, timeSpentMs };
  if (failureMessage === undefined) return { ...test, status: TestStatus.Success };
  return { ...test, status: TestStatus.Failed, failureMessage };
}

function messageOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const first: unknown = Array.isArray(error) ? (error[0] ?? error[1]) : error;
  return first instanceof Error ? first.message : String(first);
}

function testsBelow(block: Circus.DescribeBlock): Circus.TestEntry[] {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsBelow(child)));
}

function msOf(tests: readonly TestResult[]): number {
  return tests.reduce((sum, { timeSpentMs }) => sum + timeSpentMs, 0);
}

/**
 * Counts what was met outside the tests (at import, in a `beforeAll`), and in earlier tests, for each test of a
 * file: they share a server, which keeps what it has made once.
 */
function coverageByTest({ tests, coverage }: RunFile): CoveragePerTestId {
  const { perTest, static: outside } = coverage;
  const before = { ...outside };
  return Object.fromEntries(
    tests.map(({ id }) => {
      const own = perTest[id] ?? {};
      const met = { ...before, ...own };
      for (const mutant of Object.keys(own)) before[mutant] = 1;
      return [id, met];
    }),
  );
}

/** As Jest's own adapter of its circus does it. */
function onEvent(event: Circus.Event, { rootDescribeBlock }: Circus.State): void {
  if (event.name === 'test_start') {
    context.currentTestId = ids.get(event.test) ?? '';
    jestExpect.setState({ currentTestName: event.test.name });
  } else if (event.name === 'test_skip') {
    delete context.currentTestId;
  } else if (event.name === 'test_done') {
    delete context.currentTestId;
    const missing = jestExpect.extractExpectedAssertionsErrors();
    event.test.errors.push(...missing.map(({ error }) => error));
    if (!bail || event.test.errors.length === 0) return;
    for (const test of testsBelow(rootDescribeBlock)) test.mode = 'skip';
  }
}

function onUncaught(error: unknown): void {
  const { currentlyRunningTest, unhandledErrors } = circus.getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
}

/** Lists what Stryker looks for in a plugin. */
export const strykerPlugins = [{ kind: 'TestRunner', name: 'circus', injectableClass: CircusRunner }];
