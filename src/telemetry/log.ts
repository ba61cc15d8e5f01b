import { fstatSync } from 'node:fs';

import { type Logger, pino } from 'pino';

import { describeError } from './describe-error';
import { type BlockStream, LineGatherer } from './line-gatherer';
import { logTime } from './log-clock';

export interface ServiceLog {
  readonly logger: Logger;
  /** Writes a line that is serialised already, whatever the log's level. */
  writeLine(line: string): void;
  /** Resolves when every line so far is written. */
  flush(): Promise<void>;
  /** Writes what is left before it returns, for the last moment of a process. */
  flushNow(): void;
}

const BLOCK_BYTES = 64 * 1024;
/** What processes write to one pipe does not mix up to this length (PIPE_BUF). */
const UNMIXED_BYTES = 4096;
/** With a reader that stands still, more than this is dropped: the log may not take the service's memory. */
const MOST_BUFFERED_BYTES = 8 * 1024 * 1024;
const FLUSH_INTERVAL_MS = 200;
const LINE_END = 0x0a;

/**
 * Opens the log: one JSON object a line, written in blocks and off the request's path.
 *
 * @param level - least level that is logged
 * @param destination - file descriptor; standard output unless given
 * @param shared - other processes write there too
 */
export function openLog(
  level: string,
  destination: number = process.stdout.fd,
  { shared = false }: { readonly shared?: boolean } = {},
): ServiceLog {
  // Processes that were given one open file take turns at it; at a pipe or a socket they do not.
  const blockBytes = shared && !fstatSync(destination).isFile() ? UNMIXED_BYTES : BLOCK_BYTES;
  const stream = pino.destination({
    dest: destination,
    sync: false,
    minLength: 1,
    maxWrite: blockBytes,
    maxLength: MOST_BUFFERED_BYTES,
    contentMode: 'buffer',
  });
  // With that content mode it takes bytes; its typings know text only.
  const blocks = stream as unknown as BlockStream;
  const lines = new LineGatherer(blocks, blockBytes, FLUSH_INTERVAL_MS);
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${logTime()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    lines,
  );

  let dropped = 0;
  stream.on('drop', (block: Buffer) => {
    dropped += block.reduce((lines, byte) => (byte === LINE_END ? lines + 1 : lines), 0);
  });
  stream.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ lines }, 'log lines were dropped because nobody read the log');
  });
  // A full disk or a closed reader costs log lines, never the service.
  stream.on('error', () => undefined);

  return {
    logger,
    writeLine: (line) => {
      lines.write(line);
    },
    flush: () =>
      new Promise((resolve) => {
        lines.flush();
        stream.flush(() => {
          resolve();
        });
      }),
    flushNow: () => {
      lines.flush();
      stream.flushSync();
    },
  };
}
