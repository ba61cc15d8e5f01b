const HEAD_END = '\r\n\r\n';

/** One HTTP response as it stood on the wire. */
export class RawResponse {
  readonly status: number;
  readonly reason: string;

  /** @throws Error when the head has no HTTP status line */
  constructor(
    /** Status line and headers, without the empty line behind them; latin1. */
    readonly head: string,
    /** Transfer coding removed. */
    readonly body: Buffer,
  ) {
    const match = /^HTTP\/\d\.\d (\d{3}) ?(.*)/.exec(head);
    if (match === null) throw new Error(`No HTTP status line: ${JSON.stringify(head.split('\r\n', 1)[0])}`);
    this.status = Number(match[1]);
    this.reason = match[2] ?? '';
  }

  /** The body as UTF-8. */
  get text(): string {
    return this.body.toString('utf8');
  }

  /** In order of arrival, names in their own letter case. Read when asked for: a load generator never asks. */
  get headers(): readonly (readonly [name: string, value: string])[] {
    const [, ...lines] = this.head.split('\r\n');
    return lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
  }

  /** The value of a header, or undefined; several of one name are joined with `, `. */
  header(name: string): string | undefined {
    const values = this.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
    return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ');
  }
}

/** Puts the responses of one connection together out of the bytes as they arrive. */
export class ResponseReader {
  #parts: Buffer[] = [];
  #bytes = 0;
  /** With fewer bytes no response is whole: a long one is not looked at again for each part that arrives. */
  #atLeast = 1;

  add(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
  }

  /** Returns what has arrived and belongs to no response that was taken. */
  get rest(): Buffer {
    const [first = Buffer.alloc(0)] = this.#parts;
    const rest = this.#parts.length > 1 ? Buffer.concat(this.#parts, this.#bytes) : first;
    this.#parts = [rest];
    return rest;
  }

  /**
   * Takes the next response, an interim one (1xx) too; undefined while it is incomplete.
   *
   * @param ended - whether the server has closed its side: the end of a body without a declared length
   * @param bodiless - whether the request was a HEAD, whose response has no body whatever its headers say
   * @throws Error when the bytes are no HTTP response
   */
  take(ended: boolean, bodiless = false): RawResponse | undefined {
    if (this.#bytes < this.#atLeast && !ended) return undefined;
    const received = this.rest;
    const headEnd = received.indexOf(HEAD_END, 0, 'latin1');
    if (headEnd < 0) return undefined;
    const bodyStart = headEnd + HEAD_END.length;
    const head = new RawResponse(received.toString('latin1', 0, headEnd), received.subarray(0, 0));

    const body = readBody(received.subarray(bodyStart), head, ended, bodiless);
    const length = bodyStart + body.length;
    if (body.content === undefined) {
      this.#atLeast = length;
      return undefined;
    }
    this.#parts = [received.subarray(length)];
    this.#bytes -= length;
    this.#atLeast = 1;
    return new RawResponse(head.head, body.content);
  }
}

interface Body {
  /** Undefined while it is incomplete. */
  readonly content: Buffer | undefined;
  /** Bytes on the wire, transfer coding included; while it is incomplete, so many at least. */
  readonly length: number;
}

function readBody(bytes: Buffer, { status, head }: RawResponse, ended: boolean, bodiless: boolean): Body {
  if (bodiless || status < 200 || status === 204 || status === 304) {
    return { content: bytes.subarray(0, 0), length: 0 };
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return readChunks(bytes);
  const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (declared === undefined) return { content: ended ? bytes : undefined, length: bytes.length };
  const length = Number(declared);
  return { content: bytes.length < length ? undefined : bytes.subarray(0, length), length };
}

function readChunks(bytes: Buffer): Body {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return { content: undefined, length: at };
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('Chunk without a size');
    const start = lineEnd + 2;
    const end = start + size + 2;
    if (bytes.length < end) return { content: undefined, length: end };
    if (size === 0) return { content: Buffer.concat(chunks), length: end };
    chunks.push(bytes.subarray(start, start + size));
    at = end;
  }
}
