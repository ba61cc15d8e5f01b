import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { atExit, childEnvironment, PROGRAM } from '../../scripts/harness';
import { useFolder } from '../harness/use-folder';

const WATCH = join(PROGRAM, '..', 'service', 'parent-watch.js');

describe('a process whose parent is killed', () => {
  const folder = useFolder();

  /** Runs a parent with a child that writes when it is up, kills the parent, and waits for the child's end. */
  async function orphan(child: string, stdio: string): Promise<void> {
    const code = `require('node:child_process').spawn(process.execPath, ${child}, { stdio: ${stdio} })`;
    const parent = spawn(process.execPath, ['-e', code], {
      cwd: folder,
      env: childEnvironment({ DATA_DIR: join(folder, 'data') }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = atExit(() => parent.kill('SIGKILL'));
    await once(parent.stdout, 'data');
    const closed = once(parent, 'close');
    parent.kill('SIGKILL');
    // The output closes when the child, which shares it, has ended, too.
    await closed;
    ended();
  }

  it('ends although one request keeps it busy, so that it hears no signal', async () => {
    const busy = `require(${JSON.stringify(WATCH)}).endWithParent();
      process.on('SIGTERM', () => undefined);
      setTimeout(() => { require('node:fs').writeSync(1, 'busy'); for (;;); });`;
    await expect(
      orphan(JSON.stringify(['-e', busy]), "['ignore', 'inherit', 'inherit']"),
    ).resolves.toBeUndefined();
  });

  it('ends if it is a command of the service', async () => {
    const command = `require('node:fs').writeSync(1, 'up');
      process.argv = [process.execPath, ${JSON.stringify(PROGRAM)}, 'access-secret'];
      require(${JSON.stringify(PROGRAM)});`;
    // It waits for a secret, which never comes.
    const stdio = "['inherit', 'inherit', 'inherit', 'ipc']";
    await expect(orphan(JSON.stringify(['-e', command]), stdio)).resolves.toBeUndefined();
  });
});
