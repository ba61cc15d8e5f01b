import { isatty } from 'node:tty';

import { type Logger, pino } from 'pino';
import { SonicBoom } from 'sonic-boom';

import { describeError } from './described-error';
import { type BlockStream, LineGatherer } from './line-gatherer';
import { terminalLines } from './terminal-lines';

export interface ServiceLog {
  readonly logger: Logger;
  /** True for a log at a terminal, whose lines are for people. */
  readonly isTerminal: boolean;
  /** Writes a serialized line, whatever the log's level. */
  writeLine(line: string): void;
  /** Writes lines of another process's log. */
  writeLines(lines: Buffer): void;
  /**
   * Resolves when all lines so far are written. If that takes longer than two seconds, because the log is not
   * read or the disk is full, the log is closed: for use at the end of a process.
   */
  flush(): Promise<void>;
  /** Writes all lines synchronously, within a second, for the last moment of a process. */
  flushNow(): void;
}

const BLOCK_BYTES = 64 * 1024;
/**
 * Maximum amount buffered while the reader is stalled; more is dropped, so that the log does not exhaust
 * memory.
 */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const FLUSH_INTERVAL_MS = 200;
const LINE_END = 0x0a;
/** Time limit for the last lines: an unread log must not keep the process from ending. */
const LAST_LINES_MS = 2000;
const LAST_LINES_AT_ONCE_MS = 1000;

/**
 * Opens the log: one JSON object per line, written in blocks and off the request's path. At a terminal its
 * lines are for people.
 *
 * @param level - minimum level
 * @param destination - file descriptor used by no other process; default: standard output
 * @param isTerminal - default: true if the destination is one
 */
export function openLog(
  level: string,
  destination: number = process.stdout.fd,
  isTerminal = isatty(destination),
): ServiceLog {
  /** End of the retries for a blocked destination. */
  let triedUntil = Infinity;
  // pino's own, of an earlier version, would repeat a write that fails for ever when the process exits.
  const stream = new SonicBoom({
    dest: destination,
    sync: false,
    minLength: 1,
    maxWrite: BLOCK_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
    contentMode: 'buffer',
    retryEAGAIN: () => performance.now() < triedUntil,
  });
  // With that content mode it accepts bytes; its typings only know text.
  const bytes = stream as unknown as BlockStream & { readonly destroyed: boolean };
  const formOf = (block: Buffer): Buffer =>
    isTerminal ? Buffer.from(terminalLines(block.toString())) : block;
  const blocks: BlockStream = { write: (block) => bytes.destroyed || bytes.write(formOf(block)) };
  const lines = new LineGatherer(blocks, BLOCK_BYTES, FLUSH_INTERVAL_MS);
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

  reportDropped(stream, logger);
  // A full disk or a closed reader costs log lines, never the service.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') giveUp();
  });

  return {
    logger,
    isTerminal,
    writeLine: (line) => lines.write(line),
    writeLines: (block) => {
      blocks.write(block);
    },
    flush: () =>
      new Promise((resolve) => {
        const end = (failure?: Error | null): void => {
          clearTimeout(late);
          if (failure) giveUp();
          resolve();
        };
        const late = setTimeout(end, LAST_LINES_MS, new Error('The log is not being read.'));
        lines.flush();
        stream.flush(end);
      }),
    flushNow: () => {
      triedUntil = performance.now() + LAST_LINES_AT_ONCE_MS;
      try {
        lines.flush();
        stream.flushSync();
      } catch {
        giveUp();
      }
    },
  };

  /**
   * Drops the remaining lines: nothing can report the loss, and retries would delay the end of the process
   * forever.
   */
  function giveUp(): void {
    triedUntil = 0;
    stream.destroy();
  }
}

/** Logs how many lines were dropped, once there is room again. */
function reportDropped(stream: SonicBoom, logger: Logger): void {
  let dropped = 0;
  stream.on('drop', (block: Buffer) => {
    dropped += block.reduce((lines, byte) => (byte === LINE_END ? lines + 1 : lines), 0);
  });
  stream.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ lines }, 'dropped log lines because the log was not being read');
  });
}

/** Three digits for each number below 1000, for the fraction of a time. */
export const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, number) =>
  String(number).padStart(3, '0'),
);

let latestSecond = NaN;
let latestText = '';

/**
 * Returns the time of a log line, ISO 8601 in UTC. The part up to the second is cached, because many lines
 * share it.
 */
export function logTime(): string {
  const now = Date.now();
  const milliseconds = now % 1000;
  const second = now - milliseconds;
  if (second !== latestSecond) {
    latestSecond = second;
    latestText = new Date(second).toISOString().slice(0, -4);
  }
  return `${latestText}${THREE_DIGITS[milliseconds] ?? ''}Z`;
}
