import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { atExit, childEnvironment, type LogLine, PROGRAM } from '../../scripts/harness';
import { useFolder } from '../harness/use-folder';

describe('a service started in a terminal', () => {
  const folder = useFolder();

  it('reloads files on SIGHUP, and stops cleanly when the terminal is closed', async () => {
    // A terminal of its own, whose program writes its log past it.
    const command = `exec "${process.execPath}" "${PROGRAM}" start >&3`;
    const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
      cwd: folder,
      env: childEnvironment({ PORT: '0', ADMIN_PORT: '0', DATA_DIR: join(folder, 'data'), SHELL: '/bin/sh' }),
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    const ended = atExit(() => terminal.kill('SIGKILL'));
    const output = createInterface(terminal.stdio[3] as Readable); // As it was asked for.
    const lines = output[Symbol.asyncIterator]();
    let pid = 0;
    const said = async (message: string): Promise<void> => {
      for (;;) {
        const next = await lines.next();
        if (next.done === true) throw new Error(`It ended without "${message}".`);
        const entry = JSON.parse(next.value) as LogLine; // As each line of the log is.
        pid = Number(entry['pid']);
        if (String(entry['msg']).startsWith(message)) return;
      }
    };
    await said('listening');
    process.kill(pid, 'SIGHUP');
    await said('reloaded settings and files');
    terminal.kill('SIGKILL');
    await said('stopped');
    ended();
    expect(terminal.killed).toBe(true);
  });
});
