import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Command, Option } from 'commander';

import { ROOMS } from './rooms';

interface Arguments {
  readonly room?: string;
  readonly mutate?: readonly string[];
  readonly concurrency: string;
  readonly force?: true;
}

const FOLDER = 'build/mutation';

const { room, mutate, concurrency, force } = new Command('npm run mutate --')
  .description(
    `Puts small bugs into the code of the rooms, one by one, and lists those that their tests do not notice, in ${FOLDER}. Fails where a room scores less than 85 %.`,
  )
  .addOption(new Option('--room <name>', 'one room only').choices(Object.keys(ROOMS)))
  .option(
    '--mutate <patterns...>',
    "files of the room, or a part of one: 'src/asmx/xml/xml-characters.ts:10-20'",
  )
  .option('--concurrency <n>', 'test processes at once', '1')
  .option('--force', 'tries what earlier runs have tried, too')
  .parse()
  .opts<Arguments>();

/** @returns what became of each mutant of a room */
async function run(name: string, report: string): Promise<readonly MutantResult[]> {
  const { mutate: patterns, tests } = ROOMS[name] ?? { mutate: [], tests: [] };
  const options: PartialStrykerOptions = {
    mutate: [...(mutate ?? patterns)],
    // Which tests are a room's says the table: nearly every test of the service runs the readers.
    testFiles: [...tests],
    testRunner: 'circus',
    dryRunTimeoutMinutes: 30,
    plugins: [join(__dirname, 'circus-runner.js')],
    coverageAnalysis: 'perTest',
    // Whatever mutants have left lying about in a process is gone then.
    maxTestRunnerReuse: 100,
    concurrency: Number(concurrency),
    // After so long a process is killed that a mutant keeps busy, in milliseconds and in times what its tests take
    // without one: enough for a machine that others use, too.
    timeoutMS: 15_000,
    timeoutFactor: 2,
    reporters: ['progress-append-only', 'clear-text', 'html'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportMutants: false },
    htmlReporter: { fileName: `${report}.html` },
    // A part is reported by itself, without what earlier runs have tried of the room.
    incremental: mutate === undefined,
    incrementalFile: `${report}.json`,
    force: force ?? false,
    tempDirName: `${FOLDER}/sandboxes`,
    ignorePatterns: ['/build', '/data', '/coverage', '/.ci'],
    thresholds: { high: 95, low: 85, break: 85 },
  };
  // The package has no CommonJS.
  const { Stryker } = await import('@stryker-mutator/core');
  return new Stryker(options).runMutationTest();
}

function isMissed({ status }: MutantResult): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

/**
 * Returns true if it was noticed by time alone: whoever reads the report can tell a loop without end from a slow
 * machine.
 */
function isTimedOut({ status, statusReason = '' }: MutantResult): boolean {
  if (status === 'Timeout') return !statusReason.startsWith('Hit limit');
  return status === 'Killed' && statusReason.startsWith('Exceeded timeout of');
}

/** Where a mutant is, what it replaced and by what, in a line. Lines and columns count from 1. */
function lineOf(result: MutantResult): string {
  const {
    fileName,
    location: { start, end },
    replacement,
  } = result;
  const became = isTimedOut(result) ? 'TimedOut' : result.status;
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const [first = ''] = lines;
  const replaced =
    lines.length === 1
      ? first.slice(start.column - 1, end.column - 1)
      : `${first.slice(start.column - 1)} ...`;
  const place = `${relative('.', fileName)}:${String(start.line)}:${String(start.column)}`;
  return `${became} ${place}: ${replaced} => ${replacement.replace(/\s+/g, ' ')}`;
}

async function main(): Promise<void> {
  // Each mutant meets them all: fewer, and always the same.
  process.env['FUZZ_COUNT'] ??= '2000';
  process.env['FUZZ_SEED'] ??= '20261120';
  // Processes that mutants hold up are killed, and leave what they made.
  const temporary = resolve(FOLDER, 'temporary');
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  process.env['TMPDIR'] = temporary;
  const scores: string[] = [];
  for (const name of room === undefined ? Object.keys(ROOMS) : [room]) {
    const report = `${FOLDER}/${name.replaceAll('/', '-')}`;
    const results = await run(name, report);
    if (results.length === 0)
      throw new Error(`${name}: there is nothing to mutate in ${(mutate ?? [name]).join(' ')}`);
    const missed = results.filter(isMissed);
    const unread = results.filter(
      (result) => isMissed(result) || isTimedOut(result) || result.status === 'RuntimeError',
    );
    const met = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    const score = ((100 * met) / (met + missed.length)).toFixed(2);
    scores.push(`${name}: ${score} % of ${String(met + missed.length)}; report in ${report}.txt and .html`);
    writeFileSync(`${report}.txt`, [...unread.map(lineOf).toSorted(), scores.at(-1), ''].join('\n'));
  }
  console.log(`\n${scores.join('\n')}`);
}

void main();
