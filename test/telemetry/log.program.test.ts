import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { openLog } from '../../src/telemetry';
import { PACKAGE_ROOT } from '../../scripts/harness';
import { useFolder } from '../harness/use-folder';

const SOURCES = [
  join(PACKAGE_ROOT, 'test/harness/run-typescript.cjs'),
  join(PACKAGE_ROOT, 'src/telemetry/log.ts'),
];
/** Time for a program that hangs, in milliseconds. */
const PATIENCE_MS = 20_000;

describe('the log', () => {
  const directory = useFolder();
  let reader: ChildProcessByStdio<null, Readable, null> | undefined;
  afterEach(() => {
    reader?.kill('SIGKILL');
  });

  it('counts the lines dropped while its reader is stopped, from zero each time', async () => {
    const fifo = join(directory, 'fifo');
    execFileSync('mkfifo', [fifo]);
    reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'ignore'] });
    const lines: Record<string, unknown>[] = [];
    const read = createInterface(reader.stdout);
    read.on('line', (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
    const descriptor = openSync(fifo, 'w'); // Returns when the reader has opened it.
    const log = openLog('info', descriptor);
    const reports = () => lines.filter(({ msg }) => String(msg).startsWith('dropped log lines'));

    // More than it keeps, and than the pipe holds.
    const rounds = [12_000, 15_000];
    const text = 'x'.repeat(1000);
    for (const [round, count] of rounds.entries()) {
      reader.kill('SIGSTOP');
      for (let line = 0; line < count; line += 1) log.logger.info({ round }, text);
      reader.kill('SIGCONT');
      while (reports().length <= round) await once(read, 'line');
    }
    await log.flush();
    closeSync(descriptor);
    await once(read, 'close');

    const written = (wanted: number) => lines.filter(({ round }) => round === wanted).length;
    expect(reports().map(({ lines: dropped }) => dropped)).toEqual(
      rounds.map((count, round) => count - written(round)),
    );
    for (const [round, count] of rounds.entries()) expect(written(round)).toBeLessThan(count);
  });

  it.each([
    ['is ended', 'process.exit(3)'],
    ['flushes its last lines', 'log.flushNow(); process.exit(3)'],
  ])('lets a process end whose disk is full when it %s', (_what, end) => {
    const program = `
      const { openLog } = process.argv.slice(1).map(require)[1];
      const { openSync, stat } = require('node:fs');
      const log = openLog('info', openSync('/dev/full', 'a'));
      log.writeLine('x'.repeat(100_000) + '\\n');
      log.writeLine('y\\n'); // The line before it is being written now.
      // With one thread, this comes after that write has failed.
      stat('.', () => { ${end}; });`;
    const { status, stderr } = spawnSync(process.execPath, ['--eval', program, ...SOURCES], {
      env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
      timeout: PATIENCE_MS,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([3, '']);
  });
});
