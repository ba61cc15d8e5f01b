/** Accepts blocks of lines, and writes them off the request's path. */
export interface BlockStream {
  write(block: Buffer): unknown;
}

/** Maximum UTF-8 length of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Collects lines into blocks: writing each line separately would cost a system call and more every time. A
 * block is a text until it is full; encoding each line into a buffer at once would cost a request 7 % of its
 * CPU.
 */
export class LineGatherer {
  readonly #stream: BlockStream;
  readonly #blockCharacters: number;
  readonly #intervalMs: number;
  #block = '';
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param blockBytes - maximum size of a block, except for a single longer line
   * @param intervalMs - maximum wait of a line
   */
  constructor(stream: BlockStream, blockBytes: number, intervalMs: number) {
    this.#stream = stream;
    this.#blockCharacters = Math.floor(blockBytes / MAX_BYTES_PER_UNIT);
    this.#intervalMs = intervalMs;
  }

  /** @param line - with its line end */
  write(line: string): void {
    if (this.#block.length + line.length > this.#blockCharacters) this.flush();
    this.#block += line;
    this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs).unref();
  }

  /** Writes the collected lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const block = this.#block;
    this.#block = '';
    if (block !== '') this.#stream.write(Buffer.from(block));
  }
}
