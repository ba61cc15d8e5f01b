import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { type CoverageMap, type CoverageMapData, createCoverageMap } from 'istanbul-lib-coverage';

import { markdownTable, PACKAGE_ROOT } from '../harness';

/**
 * Runs `npm run test:all` (arguments go to Jest) and reports how many lines of each room they ran, in Jest's own processes and in
 * those that the tests start. Exits with 2 if too little of a room is run, else with 1 if a test fails.
 */

/** Per cent of each room's lines that the tests must run. */
const LEAST = Object.fromEntries(
  Object.entries(
    // The project's own file; lint reads it, too.
    JSON.parse(readFileSync(join(PACKAGE_ROOT, 'scripts', 'rooms.json'), 'utf8')) as Readonly<
      Record<string, { readonly coverage: number }>
    >,
  ).map(([room, { coverage }]) => [room, coverage]),
);
const FOLDER = 'build/coverage';
/** Where processes that the tests start write what they ran; one that is killed writes nothing. */
const CHILDREN = join(PACKAGE_ROOT, FOLDER, 'processes');
const REPORT = 'coverage-final.json';

interface Lines {
  readonly all: number;
  readonly run: number;
}

function runProgram(program: string, ...args: readonly string[]): number {
  const { status } = spawnSync(program, args, {
    cwd: PACKAGE_ROOT,
    stdio: 'inherit',
    env: { ...process.env, CHILD_COVERAGE: CHILDREN },
  });
  return status ?? 1;
}

function readReport(folder: string): CoverageMap {
  const report = readFileSync(join(PACKAGE_ROOT, FOLDER, folder, REPORT), 'utf8');
  return createCoverageMap(JSON.parse(report) as CoverageMapData);
}

/** Jest knows which lines hold statements, those that no test loads among them; V8's coverage of children adds its own. */
function linesByRoom(): ReadonlyMap<string, Lines> {
  const [tests, children] = [readReport('tests'), readReport('children')];
  const known = new Set(children.files());
  const rooms = new Map<string, Lines>();
  for (const file of tests.files()) {
    const elsewhere = known.has(file) ? children.fileCoverageFor(file).getLineCoverage() : {};
    const lines = Object.entries(tests.fileCoverageFor(file).getLineCoverage());
    const ran = lines.filter(([line, hits]) => hits > 0 || (elsewhere[Number(line)] ?? 0) > 0);
    const [, room = ''] = relative(PACKAGE_ROOT, file).split(sep);
    const { all, run } = rooms.get(room) ?? { all: 0, run: 0 };
    rooms.set(room, { all: all + lines.length, run: run + ran.length });
  }
  return rooms;
}

rmSync(join(PACKAGE_ROOT, FOLDER), { recursive: true, force: true });
const sources = ['--collectCoverageFrom', 'src/**/*.ts'];
const where = ['--coverageDirectory', `${FOLDER}/tests`, '--coverageReporters', 'json'];
const tests = runProgram('npm', 'run', 'test:all', '--', '--coverage', ...sources, ...where, ...process.argv.slice(2));
const children = ['--temp-directory', CHILDREN, '--reports-dir', `${FOLDER}/children`, '--reporter', 'json'];
runProgram(process.execPath, join(PACKAGE_ROOT, 'node_modules', 'c8', 'bin', 'c8.js'), 'report', ...children);

const rooms = [...linesByRoom()].toSorted(([a], [b]) => a.localeCompare(b));
const percent = ({ all, run }: Lines): number => Math.floor((1000 * run) / all) / 10;
const rows = rooms.map(([room, lines]) => [room, String(lines.all), String(percent(lines)), String(LEAST[room] ?? 'none')]);
console.log(`\n${markdownTable(['Room', 'Lines', 'Run, %', 'Least'], rows, 1)}`);
const poor = rooms.filter(([room, lines]) => percent(lines) < (LEAST[room] ?? 100));
for (const [room] of poor) console.error(`${room} has fewer lines run than scripts/rooms.json wants, or no row there.`);
process.exitCode = poor.length > 0 ? 2 : tests === 0 ? 0 : 1;
