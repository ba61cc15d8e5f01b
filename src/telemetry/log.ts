import { type Logger, pino, stdTimeFunctions } from 'pino';

import { describeError } from './describe-error';

export interface ServiceLog {
  readonly logger: Logger;
  /** Resolves when every line so far is written. */
  flush(): Promise<void>;
  /** Writes what is left before it returns, for the last moment of a process. */
  flushNow(): void;
}

const BUFFERED_BYTES = 4096;
/** With a reader that stands still, more than this is dropped: the log may not take the service's memory. */
const MOST_BUFFERED_BYTES = 8 * 1024 * 1024;
const FLUSH_INTERVAL_MS = 200;
/** What processes write to one pipe does not mix up to this length (PIPE_BUF): a block must be no longer. */
const UNMIXED_BYTES = 4096;

/**
 * Opens the log: one JSON object a line, written in blocks and off the request's path.
 *
 * @param level - least level that is logged
 * @param destination - file descriptor or path; standard output unless given
 * @param shared - other processes write there too
 */
export function openLog(
  level: string,
  destination: number | string = process.stdout.fd,
  { shared = false }: { readonly shared?: boolean } = {},
): ServiceLog {
  const stream = pino.destination({
    dest: destination,
    sync: false,
    ...(shared ? { minLength: UNMIXED_BYTES / 2, maxWrite: UNMIXED_BYTES } : { minLength: BUFFERED_BYTES }),
    maxLength: MOST_BUFFERED_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    stream,
  );

  let dropped = 0;
  stream.on('drop', () => {
    dropped += 1;
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
    flush: () =>
      new Promise((resolve) => {
        stream.flush(() => {
          resolve();
        });
      }),
    flushNow: () => {
      stream.flushSync();
    },
  };
}
