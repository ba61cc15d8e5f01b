import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { openLog } from '../../src/telemetry';
import { useFolder } from '../harness/use-folder';

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
});
