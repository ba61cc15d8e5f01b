import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, matchesGlob, relative, resolve } from 'node:path';

import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Command, Option } from 'commander';

import { type MutatedRoom, ROOMS } from './rooms';

interface Arguments {
  readonly room?: string;
  readonly mutate?: readonly string[];
  readonly blocks?: string;
  readonly seed: string;
  readonly concurrency: string;
  readonly force?: true;
}

const FOLDER = 'build/mutation';
/** Least share of mutants that the tests must notice, in per cent. */
const LEAST_SCORE = 85;
/** Lines of a block. */
const BLOCK = 25;

const { room, mutate, blocks, seed, concurrency, force } = new Command('npm run mutate --')
  .description(
    `Puts small bugs into the code of the rooms, one by one, and lists those that their tests do not notice, in ${FOLDER}. Fails where a room scores less than ${String(LEAST_SCORE)} %, and of drawn blocks if all rooms together do.`,
  )
  .addOption(new Option('--room <name>', 'one room only').choices(Object.keys(ROOMS)))
  .option(
    '--mutate <patterns...>',
    "files of the room, or a part of one: 'src/asmx/xml/xml-characters.ts:10-20'",
  )
  .addOption(
    new Option('--blocks <n>', `of each room, this many blocks of ${String(BLOCK)} lines only`).conflicts(
      'mutate',
    ),
  )
  .option('--seed <text>', 'draws the blocks that this text drew before', String(Date.now()))
  .option('--concurrency <n>', 'test processes at once', '1')
  .option('--force', 'tries what earlier runs have tried, too')
  .parse()
  .opts<Arguments>();

/** Draws blocks of the room's files, by the seed alone: FILE:1-25 and the like. */
function drawBlocks({ mutate: patterns }: MutatedRoom, count: number): readonly string[] {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'));
  const unwanted = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => wanted.some((pattern) => matchesGlob(path, pattern)))
    .filter((path) => !unwanted.some((pattern) => matchesGlob(path, pattern)))
    .flatMap((path) => {
      const lines = readFileSync(path, 'utf8').split('\n').length - 1;
      return Array.from({ length: Math.ceil(lines / BLOCK) }, (_, block) => {
        return `${path}:${String(block * BLOCK + 1)}-${String((block + 1) * BLOCK)}`;
      });
    })
    .map((block) => ({ block, order: createHash('sha256').update(`${seed} ${block}`).digest('hex') }))
    .toSorted(({ order }, other) => (order < other.order ? -1 : 1))
    .slice(0, count)
    .map(({ block }) => block);
}

/**
 * @param part - what to mutate of the room; all of it if absent
 * @returns what became of each mutant of a room
 */
async function run(
  { mutate: patterns, tests }: MutatedRoom,
  report: string,
  part?: readonly string[],
): Promise<readonly MutantResult[]> {
  const options: PartialStrykerOptions = {
    mutate: [...(part ?? patterns)],
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
    incremental: part === undefined,
    incrementalFile: `${report}.json`,
    force: force ?? false,
    tempDirName: `${FOLDER}/sandboxes`,
    ignorePatterns: ['/build', '/data', '/coverage', '/.ci'],
    thresholds: { high: 95, low: LEAST_SCORE, break: blocks === undefined ? LEAST_SCORE : null },
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
  if (blocks !== undefined) console.log(`Draws blocks with --seed ${seed}.`);
  const scores: string[] = [];
  let metOfAll = 0;
  let missedOfAll = 0;
  for (const [name, mutated] of Object.entries(ROOMS)) {
    if (room !== undefined && name !== room) continue;
    const part = blocks === undefined ? mutate : drawBlocks(mutated, Number(blocks));
    const report = `${FOLDER}/${name.replaceAll('/', '-')}`;
    const results = await run(mutated, report, part);
    if (results.length === 0 && blocks === undefined)
      throw new Error(`${name}: there is nothing to mutate in ${(part ?? [name]).join(' ')}`);
    const missed = results.filter(isMissed);
    const unread = results.filter(
      (result) => isMissed(result) || isTimedOut(result) || result.status === 'RuntimeError',
    );
    const met = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    metOfAll += met;
    missedOfAll += missed.length;
    scores.push(`${name}: ${scoreOf(met, missed.length)}; report in ${report}.txt and .html`);
    writeFileSync(`${report}.txt`, [...unread.map(lineOf).toSorted(), scores.at(-1), ''].join('\n'));
  }
  console.log(`\n${[...scores, `All: ${scoreOf(metOfAll, missedOfAll)}`].join('\n')}`);
  if (blocks !== undefined && metOfAll < (LEAST_SCORE / 100) * (metOfAll + missedOfAll)) process.exitCode = 1;
}

function scoreOf(met: number, missed: number): string {
  const all = met + missed;
  return `${all === 0 ? 'none' : `${((100 * met) / all).toFixed(2)} %`} of ${String(all)}`;
}

void main();
