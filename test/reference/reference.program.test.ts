import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { seen, token11Is } from '../harness/asmx-answers';
import { exchange, PACKAGE_ROOT, token11 } from '../../scripts/harness';

// Node itself, not an npm script, so that signals reach the process.
const SOURCE = join(PACKAGE_ROOT, 'test', 'reference', 'main.ts');
const COMPILE = join(PACKAGE_ROOT, 'test', 'harness', 'run-typescript.cjs');
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

function start(port: string) {
  const child = spawn(process.execPath, ['--require', COMPILE, SOURCE], {
    env: { ...process.env, PORT: port, HOST: '127.0.0.1' },
  });
  running.add(child);
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child);
    return code;
  });
  return { child, ended, out: createInterface(child.stdout), err: createInterface(child.stderr) };
}

it('listens on PORT, prints its address in one line, and ends on SIGTERM', async () => {
  const { child, ended, out } = start('0');
  const [line] = (await once(out, 'line')) as [string];
  const port = Number(/:(\d+)\/$/.exec(line)?.[1]);
  expect(seen(await exchange(port, token11('7')))).toEqual(token11Is('TOKEN-7'));

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it('reports in one line why it cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    const { ended, err } = start(String((taken.address() as AddressInfo).port));
    const lines: string[] = [];
    err.on('line', (text: string) => lines.push(text));
    expect(await ended).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^The reference service did not start: .*EADDRINUSE/)]);
  } finally {
    taken.close();
  }
});
