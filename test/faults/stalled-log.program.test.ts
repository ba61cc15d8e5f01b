// Stopping a service whose log is not read.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { childEnvironment, get, RawClient, PROGRAM } from '../../scripts/harness';
import { beginRequest } from '../service/begin-request';

/** A line has 250 bytes and more, and a pipe takes 64 KB: a quarter of these lines. */
const CALLERS = 16;
const CALLS = 60;

const folder = mkdtempSync(join(tmpdir(), 'stalled-log-'));
type Service = ChildProcessByStdio<null, Readable, Readable>;
const started: Service[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a service, and fills the pipe of its log, which is not read. */
async function startStalled(
  settings: Readonly<Record<string, string>>,
): Promise<{ child: Service; port: number }> {
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    cwd: folder,
    env: childEnvironment({ PORT: '0', ADMIN_PORT: 'off', DATA_DIR: join(folder, 'data'), ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const address = /Listening on http:\/\/\S+?:(\d+)\n/;
  while (!address.test(said)) await once(child.stderr, 'data');
  const port = Number(address.exec(said)?.[1]);
  const callers = Array.from({ length: CALLERS }, async () => {
    const client = new RawClient(port);
    for (let count = 0; count < CALLS; count += 1)
      await client.ask(get('GetNoteType', 'GetStudentsNoteType', ''));
    client.close();
  });
  await Promise.all(callers);
  return { child, port };
}

describe('a service whose log stalls', () => {
  it('stops on one SIGTERM with all its processes', async () => {
    const { child } = await startStalled({ PROCESSES: '2' });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    // The rest was lost: it had stalled.
    const lines = (await text(child.stdout)).match(/"msg":"request"/g) ?? [];
    expect(lines.length).toBeLessThan(CALLERS * CALLS);
  });

  it('61 Stops on a second SIGTERM at once, whatever is in progress', async () => {
    const { child, port } = await startStalled({});
    const unfinished = await beginRequest({ port });
    child.kill('SIGTERM');
    // Told by the port that is closed.
    await untilRefused(port);
    const ended = once(child, 'exit');
    const again = setInterval(() => child.kill('SIGTERM'), 300);
    expect(await ended).toEqual([143, null]);
    clearInterval(again);
    expect(await unfinished.connection.readUntilClosed()).toHaveLength(0);
  });
});

async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const client = new RawClient(port);
    try {
      await client.ask({ path: '/healthz' });
    } catch {
      return;
    } finally {
      client.close();
    }
  }
}
