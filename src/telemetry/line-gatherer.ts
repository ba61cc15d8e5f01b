/** What takes blocks of lines, and writes them off the request's path. */
export interface BlockStream {
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
