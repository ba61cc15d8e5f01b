/** Most bytes of one entry that are held: it has the answer, too. */
const MOST_ENTRY_BYTES = 64 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_END = 0x0a;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];
const LIST = 0x5b;
/** The log's object, in it the list, in that an entry. */
const ENTRY_DEPTH = 4;

/** An entry of a HAR as it stands in the file. */
export interface HarEntry {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Undefined for one that is longer than what is held of one. */
  readonly json: Buffer | undefined;
}

/**
 * Cuts a HAR into the entries of its log, in memory for one of them: only strings and brackets are looked at, and
 * what stands between the brackets is read by who takes it. Returns whether the file came to its end.
 */
export async function* harEntries(
  chunks: AsyncIterable<Buffer>,
  most = MOST_ENTRY_BYTES,
): AsyncGenerator<HarEntry, boolean> {
  const scan = new Scan();
  let parts: Buffer[] = [];
  let length = 0;
  let begun: number | undefined;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > most) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const step = scan.take(chunk[at] ?? 0);
      if (step === 'begins') {
        [start, begun] = [at, scan.line];
      } else if (step === 'ends' && begun !== undefined) {
        keep(chunk.subarray(start, at + 1));
        yield { line: begun, json: length > most ? undefined : Buffer.concat(parts) };
        [parts, length, begun] = [[], 0, undefined];
      }
    }
    if (begun !== undefined) keep(chunk.subarray(start));
  }
  return scan.ended;
}

/** Where in the JSON text a byte stands. */
class Scan {
  line = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The last string of the log's own object, which is the name of the list that begins. */
  #name = '';
  #inEntries = false;
  #any = false;

  /** Whether every bracket was closed. */
  get ended(): boolean {
    return this.#any && this.#depth === 0 && !this.#inString;
  }

  /** @returns whether an entry begins or ends with the byte */
  take(byte: number): 'begins' | 'ends' | undefined {
    if (byte === LINE_END) this.line += 1;
    if (this.#inString) this.#inText(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === ENTRY_DEPTH - 2) this.#name = '';
    } else if (OPENING.includes(byte)) return this.#open(byte);
    else if (CLOSING.includes(byte)) return this.#close();
    return undefined;
  }

  #inText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    else if (this.#depth === ENTRY_DEPTH - 2) this.#name += String.fromCharCode(byte);
  }

  #open(byte: number): 'begins' | undefined {
    this.#any = true;
    this.#depth += 1;
    if (this.#depth === ENTRY_DEPTH - 1) this.#inEntries = byte === LIST && this.#name === 'entries';
    return this.#depth === ENTRY_DEPTH && this.#inEntries ? 'begins' : undefined;
  }

  #close(): 'ends' | undefined {
    this.#depth -= 1;
    return this.#depth === ENTRY_DEPTH - 1 && this.#inEntries ? 'ends' : undefined;
  }
}
