import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';

const COMPILE = join(PACKAGE_ROOT, 'test/harness/run-typescript.cjs');
const MODULE = join(PACKAGE_ROOT, 'scripts/harness/run-folder.ts');

/** Cleans up twice at the end, each time with a copy of the module of its own, as files of the tests do. */
const PROGRAM = `
  const [, path] = process.argv;
  for (const copy of ['first', 'second']) {
    delete require.cache[path];
    require(path).atExit(() => console.log(copy));
  }
  require(path).atExit(() => console.log('early'))();
  for (const event of ['exit', 'SIGTERM']) console.log(event, process.listenerCount(event));`;

describe('what is cleaned up when a process ends', () => {
  it('has one listener, however many files ask for it', () => {
    const output = execFileSync(process.execPath, ['--require', COMPILE, '--eval', PROGRAM, MODULE], {
      encoding: 'utf8',
    });
    expect(output.trim().split('\n')).toEqual(['early', 'exit 1', 'SIGTERM 1', 'first', 'second']);
  });
});
