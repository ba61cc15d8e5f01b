const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** An answer to one request. */
export interface Answer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: Buffer;
}

/** Puts the answers of one connection together; one request is under way at a time. */
export class AnswerReader {
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Length of the whole answer once its head is read; undefined before, and for one in chunks. */
  #length: number | undefined;

  /** Takes what has arrived; returns the answer when it is whole. */
  add(bytes: Buffer): Answer | undefined {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#length !== undefined && this.#bytes < this.#length) return undefined;

    const received = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [received];
    const answer = this.#parse(received);
    if (answer !== undefined) {
      this.#parts = [];
      this.#bytes = 0;
      this.#length = undefined;
    }
    return answer;
  }

  #parse(received: Buffer): Answer | undefined {
    const headEnd = received.indexOf(HEAD_END, 0, 'latin1');
    if (headEnd < 0) return undefined;
    const bodyStart = headEnd + HEAD_END.length;
    const head = received.toString('latin1', 0, headEnd);
    const status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#length = bodyStart + Number(length);
      if (received.length < this.#length) return undefined;
      if (received.length > this.#length) throw new Error('More bytes than the answer has.');
      return { status, head, body: received.subarray(bodyStart) };
    }
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error(`An answer of no length: ${head}`);
    // The longest ending: an empty body has no chunk before the last one.
    if (received.toString('latin1', received.length - LAST_CHUNK.length) !== LAST_CHUNK) return undefined;
    return { status, head, body: joinChunks(received.subarray(bodyStart)) };
  }
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) break;
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + size + 4;
  }
  return Buffer.concat(chunks);
}
