// The process in which an import of the console or of IMPORT_FOLDER runs.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig } from '../../src/config';
import { runProgram } from '../../src/service/run-program';
import { useFolderPerTest } from '../harness/use-folder';

describe('the process of an import', () => {
  const folder = useFolderPerTest();

  /** Runs a program in place of the command. */
  async function problemOf(program: string): Promise<string> {
    const path = join(folder(), 'program.cjs');
    writeFileSync(path, program);
    const { signal } = new AbortController();
    return (await runProgram(path, loadConfig({}), [], { signal })).problem;
  }

  it('has a memory limit of its own, below that of the unit', async () => {
    expect(await problemOf(`console.error('Error: ' + process.execArgv.join(' '))`)).toBe(
      '--max-old-space-size=512',
    );
  });

  it('says that it needs more memory when it has reached its limit', async () => {
    const program = `console.error('FATAL ERROR: Reached heap limit - JavaScript heap out of memory\\n 1: 0xb9'); process.abort();`;
    expect(await problemOf(program)).toBe('The command needs more than 512 MB of memory. Use smaller files.');
  });

  it('shows no stack if the command fails unexpectedly', async () => {
    const program = 'throw new RangeError("Maximum call stack size exceeded");';
    expect(await problemOf(program)).toBe(
      'The command failed unexpectedly. Run it in a shell to see its error.',
    );
  });
});
