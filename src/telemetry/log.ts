import { type Logger, pino } from 'pino';

import type { Bound } from '../asmx';

/** What takes blocks of lines, and writes them off the request's path. */
interface BlockStream {
  write(block: Buffer): unknown;
}

/** UTF-8 needs at most this for one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

/** Gathers lines into blocks of bytes: what is handed on line by line costs a system call and more each time. */
export class LineGatherer {
  readonly #stream: BlockStream;
  readonly #blockBytes: number;
  readonly #intervalMs: number;
  readonly #block: Buffer;
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param blockBytes - a block is no longer, unless its one line is
   * @param intervalMs - no line waits longer
   */
  constructor(stream: BlockStream, blockBytes: number, intervalMs: number) {
    this.#stream = stream;
    this.#blockBytes = blockBytes;
    this.#intervalMs = intervalMs;
    this.#block = Buffer.allocUnsafe(blockBytes);
  }

  /** @param line - with its line end */
  write(line: string): void {
    const most = line.length * MOST_BYTES_PER_UNIT;
    if (this.#length + most > this.#blockBytes) this.flush();
    if (most > this.#blockBytes) {
      this.#stream.write(Buffer.from(line));
      return;
    }
    this.#length += this.#block.write(line, this.#length);
    this.#timer ??= setTimeout(() => {
      this.flush();
    }, this.#intervalMs).unref();
  }

  /** Hands on what is gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    // A copy as long as its lines: the stream keeps it until it is written, and counts no more than these.
    const block = Buffer.from(this.#block.subarray(0, this.#length));
    this.#length = 0;
    this.#stream.write(block);
  }
}

/** An error as it stands in the log. */
interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MOST_CAUSES = 5;

/**
 * Picks from an error what explains it. Other properties stay out of the log: database drivers hang row
 * contents and parameters on theirs, and those are personal data.
 */
function describeError(error: unknown, causesLeft = MOST_CAUSES): DescribedError {
  // Not instanceof: an error may come from another realm (worker, vm).
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error) };

  const { name, message, code, stack, cause } = error as Partial<Record<keyof Error | 'code', unknown>>;
  return {
    type: typeof name === 'string' ? name : 'object',
    message: typeof message === 'string' ? message : '',
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof stack === 'string' && { stack }),
    ...(cause !== undefined && causesLeft > 0 && { cause: describeError(cause, causesLeft - 1) }),
  };
}

export interface ServiceLog {
  readonly logger: Logger;
  /** Writes a line that is serialised already, whatever the log's level. */
  writeLine(line: string): void;
  /** Writes lines of another process's log. */
  writeLines(lines: Buffer): void;
  /**
   * Resolves when every line so far is written. Where that takes longer than two seconds, because nobody reads the
   * log or the disk is full, this ends the log: it is for the end of a process.
   */
  flush(): Promise<void>;
  /** The same before it returns, within a second, for the last moment of a process. */
  flushNow(): void;
}

const BLOCK_BYTES = 64 * 1024;
/** With a reader that stands still, more than this is dropped: the log may not take the service's memory. */
const MOST_BUFFERED_BYTES = 8 * 1024 * 1024;
const FLUSH_INTERVAL_MS = 200;
const LINE_END = 0x0a;
/** How long the last lines may take: a log that nobody reads must not keep the process from its end. */
const LAST_LINES_MS = 2000;
const LAST_LINES_AT_ONCE_MS = 1000;

/**
 * Opens the log: one JSON object a line, written in blocks and off the request's path.
 *
 * @param level - least level that is logged
 * @param destination - file descriptor that no other process writes to; standard output unless given
 */
export function openLog(level: string, destination: number = process.stdout.fd): ServiceLog {
  /** Until when a destination that takes nothing is tried again. */
  let triedUntil = Infinity;
  const stream = pino.destination({
    dest: destination,
    sync: false,
    minLength: 1,
    maxWrite: BLOCK_BYTES,
    maxLength: MOST_BUFFERED_BYTES,
    contentMode: 'buffer',
    retryEAGAIN: () => performance.now() < triedUntil,
  });
  // With that content mode it takes bytes; its typings know text only.
  const bytes = stream as unknown as BlockStream & { readonly destroyed: boolean };
  const blocks: BlockStream = { write: (block) => bytes.destroyed || bytes.write(block) };
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
  // A full disk or a closed reader costs log lines, never the service.
  stream.on('error', () => undefined);

  return {
    logger,
    writeLine: (line) => {
      lines.write(line);
    },
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

  /** These lines are lost, and there is nobody to tell. They would be tried for ever when the process ends. */
  function giveUp(): void {
    triedUntil = 0;
    stream.destroy();
  }
}

/** Three digits for each number below 1000: what follows the point of a time. */
export const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, number) =>
  String(number).padStart(3, '0'),
);

let latestSecond = NaN;
let latestText = '';

/** The time of a log line, ISO 8601 in UTC. Many lines are of one second: its text is made once. */
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

/** Callers can reach a bound as often as they like: no more than one line of it in this time. */
const INTERVAL_MS = 60_000;

const MESSAGES: Readonly<Record<Bound, string>> = {
  bodies: 'too many large request bodies (MAX_LARGE_BODIES); callers get 503',
  connections: 'too many connections (MAX_CONNECTIONS); idle ones are closed, further callers get 503',
  descriptors:
    'out of file descriptors, connections are refused; raise the limit (ulimit -n) or lower MAX_CONNECTIONS',
  unsent: 'callers do not read their responses (MAX_UNSENT_BYTES); the slowest are disconnected',
};

/** Tells the operator that a bound on all callers together is reached: at once, and then at most once a minute. */
export class BoundLog {
  readonly #logger: Logger;
  readonly #told = new Map<Bound, { atMs: number; times: number }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(bound: Bound): void {
    const now = performance.now();
    const told = this.#told.get(bound);
    if (told !== undefined && now - told.atMs < INTERVAL_MS) {
      told.times += 1;
      return;
    }
    this.#told.set(bound, { atMs: now, times: 0 });
    this.#logger.warn({ bound, times: (told?.times ?? 0) + 1 }, MESSAGES[bound]);
  }
}
