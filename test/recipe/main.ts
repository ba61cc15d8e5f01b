import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { Command } from 'commander';

import { makeRunFolder, runCommand } from '../../scripts/harness';
import { copyProject } from '../harness/copy-project';
import { addOperation, addScenarios } from './seventh-operation';

/** Tests that take long and that a further operation cannot change. */
const ELSEWHERE = 'test/(?:admin/console|cli/(?!check)|delivery|faults|simulation|store)/';
/** A test that misses what is added last says this. */
const MISSING = 'No scenario shows GetDeviceOwner at work';
const REPORT = 'build/recipe.json';

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

/** Describes what is looked at of Jest's report of a run. */
interface RunReport {
  readonly numPassedTests: number;
  readonly testResults: readonly FileReport[];
}

const command = new Command('test:recipe')
  .description(
    'Adds an operation to a copy of the project, as CONTRIBUTING.md says how, and runs its tests: at first those fail ' +
      'that ask for the scenarios of the operation, and with those none.',
  )
  .action(followRecipe);

function followRecipe(): void {
  const { path: folder, remove } = makeRunFolder('recipe');
  try {
    copyProject(folder);
    addOperation(folder);
    execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.json', '--noEmit'], {
      cwd: folder,
      stdio: 'inherit',
    });
    const failed = failedIn(runTests(folder));
    const asks = failed.some(({ message }) => message.includes(MISSING));
    if (!asks) console.log('FAILED: no test asks for the scenarios of the operation.');
    addScenarios(folder);
    execFileSync('npm', ['run', '--silent', 'docs'], { cwd: folder, stdio: 'inherit' });
    // What failed only because the machine was busy does not fail again by itself.
    const still = failedIn(
      runTests(
        folder,
        failed.map(({ name }) => relative(folder, name)),
      ),
    );
    for (const { name, message } of still) console.log(`FAILED: ${relative(folder, name)}\n${message}`);
    process.exitCode = asks && still.length === 0 ? 0 : 1;
  } finally {
    remove();
  }
}

/** @param files - all but those that know no operation, unless given */
function runTests(folder: string, files?: readonly string[]): RunReport {
  const which = files ?? ['--testPathIgnorePatterns', ELSEWHERE];
  spawnSync(
    'node_modules/.bin/jest',
    ['--selectProjects', 'fast', '--silent', '--json', '--outputFile', REPORT, ...which],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const report = JSON.parse(readFileSync(join(folder, REPORT), 'utf8')) as RunReport;
  console.log(
    `${String(report.numPassedTests)} tests passed, files that failed: ${String(failedIn(report).length)}`,
  );
  return report;
}

function failedIn({ testResults }: RunReport): readonly FileReport[] {
  return testResults.filter(({ status }) => status === 'failed');
}

runCommand(command);
