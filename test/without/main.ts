import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';

import { childEnvironment, makeRunFolder, runCommand } from '../../scripts/harness';
import type { Feature } from '../../src/features/feature';
import { FEATURES } from '../../src/features';
import { copyProject } from '../harness/copy-project';

/** Tests of the documents, which describe every feature. */
const DESCRIBING = 'test/docs';
/** A call that a service with the sample school answers, as the README shows it. */
const CALL = '/PushNotificationMobile.asmx/GetTokenDevice?id=DEV-1';

const names = Object.keys(FEATURES) as (keyof typeof FEATURES)[];

const command = new Command('test:without')
  .description(
    'Takes features, and the features that need them, out of a copy and checks the rest: types, imports, ' +
      'style, tests except those of the documents, and that the service starts and answers.',
  )
  .argument('<features...>', `of ${names.join(', ')}`)
  .action(async (asked: readonly string[]) => {
    for (const name of asked) if (!(name in FEATURES)) throw new Error(`There is no feature ${name}.`);
    const removed = withDependents(asked);
    console.log(`Without ${removed.join(', ')}:`);
    const { path: folder, remove } = makeRunFolder('without');
    try {
      copyProject(folder);
      rmSync(join(folder, DESCRIBING), { recursive: true });
      for (const name of removed) takeOut(folder, name);
      checkRest(folder);
      await startAndCall(folder);
      console.log(`The rest works without ${removed.join(', ')}.`);
    } finally {
      remove();
    }
  });

/** Adds the features that need one of these, directly or through others. */
function withDependents(asked: readonly string[]): readonly string[] {
  const listed: readonly (readonly [string, Feature])[] = Object.entries(FEATURES);
  const more = listed
    .filter(([name, { needs = [] }]) => !asked.includes(name) && needs.some((need) => asked.includes(need)))
    .map(([name]) => name);
  return more.length === 0 ? asked : withDependents([...asked, ...more]);
}

/** Removes the folder of a feature, that of its tests, and its line in the list. */
function takeOut(folder: string, name: string): void {
  rmSync(join(folder, 'src/features', name), { recursive: true });
  rmSync(join(folder, 'test/features', name), { recursive: true });
  const list = join(folder, 'src/features/index.ts');
  const text = readFileSync(list, 'utf8')
    .replace(`import * as ${name} from './${name}';\n`, '')
    .replace(/FEATURES = \{([^}]*)\}/, (_, names: string) => {
      const others = names.split(/[\s,]+/).filter((other) => !['', name].includes(other));
      return `FEATURES = {${others.join(',\n  ')}}`;
    });
  writeFileSync(list, text);
}

function checkRest(folder: string): void {
  const run = (program: string, ...args: readonly string[]): void => {
    console.log(`${program} ${args.join(' ')}`);
    execFileSync(join('node_modules/.bin', program), args, { cwd: folder, stdio: 'inherit' });
  };
  run('tsc', '-p', 'tsconfig.json', '--noEmit');
  run('depcruise', 'src', 'scripts', 'test');
  run('eslint', 'src');
  run('jest', '--selectProjects', 'fast', '--silent');
}

async function startAndCall(folder: string): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.cjs'], { cwd: folder, stdio: 'inherit' });
  const service = spawn(process.execPath, ['dist/main.js', 'start'], {
    cwd: folder,
    env: childEnvironment({ PORT: '0', ADMIN_PORT: '0', SAMPLE_DATA: 'true' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(service, 'exit');
  try {
    const address = await listeningAddress(service.stderr);
    const response = await fetch(address + CALL);
    const text = await response.text();
    if (!text.includes('sample-token')) throw new Error(`The service answered ${text}`);
  } finally {
    service.kill();
    await ended;
  }
}

/** Waits for the line that names the address. */
async function listeningAddress(errors: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of errors) {
    text += String(chunk);
    const [, address] = /^Listening on (\S+)\n/m.exec(text) ?? [];
    if (address !== undefined) {
      errors.resume();
      return address;
    }
  }
  throw new Error(`The service did not start:\n${text}`);
}

runCommand(command);
