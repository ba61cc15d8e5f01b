import cluster, { type Worker } from 'node:cluster';
import type { Readable } from 'node:stream';

import type { Settings } from '../config';
import { type ChildKind, kindEnvironment, type ToChild } from './messages';

const LINE_END = 0x0a;

/** A process that the primary one has started, and how to speak to it. */
export class PoolProcess {
  readonly worker: Worker;
  readonly startedAt = performance.now();
  isReady = false;
  /** Files were read again while it started: it may have read them before. */
  hasMissedReload = false;

  /** @param texts - the settings by which it is to go, whatever has become of their files since they were read */
  constructor(
    readonly kind: ChildKind,
    texts: Settings['texts'],
  ) {
    this.worker = cluster.fork(kindEnvironment(kind));
    // A channel that breaks is followed by the end of the process, which is dealt with there.
    this.worker.on('error', () => undefined);
    this.send({ kind: 'start', texts });
  }

  get id(): number {
    return this.worker.id;
  }

  send(message: ToChild): void {
    if (this.worker.isConnected()) this.worker.send(message);
  }

  /** Ends it where it stands. */
  kill(): void {
    this.worker.process.kill('SIGKILL');
  }

  /** Hands on what it writes to standard output, in whole lines. */
  onLines(write: (lines: Buffer) => void): void {
    const { stdout } = this.worker.process;
    if (stdout !== null) wholeLines(stdout, write);
  }
}

/**
 * Hands on what a stream brings, in blocks that end with a line: however many streams are written to one place
 * so, their lines do not mix. What comes behind the last line end is left out: the rest of that line was never
 * written.
 */
export function wholeLines(source: Readable, write: (lines: Buffer) => void): void {
  let begun: Buffer[] = [];
  source.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      const lines = bytes.subarray(0, end);
      write(begun.length === 0 ? lines : Buffer.concat([...begun, lines]));
      begun = [];
    }
    if (end < bytes.length) begun.push(bytes.subarray(end));
  });
}
