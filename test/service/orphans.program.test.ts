import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { atExit, childEnvironment, get, PACKAGE_ROOT, PROGRAM } from '../../scripts/harness';
import { useFolder } from '../harness/use-folder';
import { databaseIn, storedMessages } from './stored-messages';
import { useServices } from './use-services';

/** Ends an orphan that nothing else ends. */
const MAX_ORPHAN_MS = 20_000;
const PAGE_BYTES = 4096;
/** A process that has started has twice as much memory, and Node.js alone less. */
const MIDDLE_OF_START_BYTES = 50 * 2 ** 20;
const COMPILE = join(PACKAGE_ROOT, 'test', 'harness', 'run-typescript.cjs');
const WATCH = join(PACKAGE_ROOT, 'src', 'service', 'processes', 'parent-watch.ts');
/** Before a child says that it is up, so that none is up without the watch. */
const LOAD_WATCH = `require(${JSON.stringify(COMPILE)});
  const { endWithParent } = require(${JSON.stringify(WATCH)});`;

describe('a process whose parent is killed', () => {
  const folder = useFolder();

  /** Runs a parent with a child that writes when it is up, kills the parent, and waits for the child's end. */
  async function orphan(child: string, stdio: string): Promise<string> {
    const code = `require('node:child_process').spawn(process.execPath, ${child}, { stdio: ${stdio} })`;
    const parent = spawn(process.execPath, ['-e', code], {
      cwd: folder,
      env: childEnvironment({ DATA_DIR: join(folder, 'data') }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = atExit(() => parent.kill('SIGKILL'));
    let output = '';
    parent.stdout.on('data', (text) => (output += String(text)));
    const closed = once(parent, 'close');
    const isUp = await Promise.race([once(parent.stdout, 'data'), closed.then(() => undefined)]);
    if (isUp === undefined) throw new Error('The child ended before it was up.');
    parent.kill('SIGKILL');
    // The output closes when the child, which shares it, has ended, too.
    await closed;
    ended();
    return output;
  }

  it('ends although one request keeps it busy, so that it hears no signal', async () => {
    const busy = `${LOAD_WATCH}
      endWithParent(process.ppid);
      process.on('SIGTERM', () => undefined);
      setTimeout(() => { require('node:fs').writeSync(1, 'busy'); for (;;); });`;
    await expect(orphan(JSON.stringify(['-e', busy]), "['ignore', 'inherit', 'inherit']")).resolves.toBe(
      'busy',
    );
  });

  it('ends although its parent was killed before it began to watch', async () => {
    const late = `${LOAD_WATCH}
      const parent = process.ppid;
      require('node:fs').writeSync(1, 'up');
      while (process.ppid === parent);
      endWithParent(parent);
      const end = Date.now() + ${String(MAX_ORPHAN_MS)};
      setTimeout(() => { while (Date.now() < end); require('node:fs').writeSync(1, ' and left alone'); });`;
    expect(await orphan(JSON.stringify(['-e', late]), "['ignore', 'inherit', 'inherit']")).toBe('up');
  });

  it('ends if it is a command of the service', async () => {
    const command = `require('node:fs').writeSync(1, 'up');
      process.argv = [process.execPath, ${JSON.stringify(PROGRAM)}, 'access-secret'];
      require(${JSON.stringify(join(PROGRAM, '..', 'service.js'))}).program();`;
    // It waits for a secret, which never comes.
    const stdio = "['inherit', 'inherit', 'inherit', 'ipc']";
    await expect(orphan(JSON.stringify(['-e', command]), stdio)).resolves.toBe('up');
  });
});

/** Returns the memory of a process's children, in pages. */
function childrenSizes(pid: number): readonly number[] {
  try {
    const ids = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'latin1').trim();
    return ids
      .split(' ')
      .filter((id) => id !== '')
      .map((id) => Number(readFileSync(`/proc/${id}/statm`, 'latin1').split(' ')[1]));
  } catch {
    return []; // One has ended.
  }
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('the processes of a service whose supervisor is killed', () => {
  const services = useServices();

  it('end when one of them is in the middle of its start', async () => {
    const service = services.spawn({ settings: { PROCESSES: '2' } });
    // Nothing announces it, and a start takes a hundred times as long as a look.
    while (Math.max(0, ...childrenSizes(service.pid)) * PAGE_BYTES < MIDDLE_OF_START_BYTES) await delay(5);
    service.signal('SIGKILL');
    // They share its standard error, which closes when the last one has ended.
    await expect(service.ended()).resolves.toMatchObject({ signal: 'SIGKILL' });
  });

  it('60 End when they listen, and lose no message that was acknowledged before', async () => {
    const folder = join(services.folder, 'killed');
    const service = await services.start({ settings: { PROCESSES: '2', DATA_DIR: folder } });
    const phones = Array.from({ length: 8 }, (_, i) => `555111220${String(i)}`);
    const answers = await Promise.all(
      phones.map((phone) => service.ask(get('AuthCodeSending', 'AuthCode', `code=1&phone=${phone}`))),
    );
    service.signal('SIGKILL');
    expect(answers.map(({ status }) => status)).toEqual(phones.map(() => 200));
    await expect(service.ended()).resolves.toMatchObject({ signal: 'SIGKILL' });
    const stored = await storedMessages(databaseIn(folder));
    expect(stored.map(({ recipient }) => recipient).sort()).toEqual(phones);
  });
});
