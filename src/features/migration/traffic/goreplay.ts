import { type Header, findHeader, type HttpRequest } from '../messages';
import { type FileRequest, type PassOver, readLines, TOO_LONG } from './reader';

const REQUEST_LINE = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;
const HEADER_LINE = /^([^\s:]+):(.*)$/;
const AROUND_VALUE = /^[\t ]+|(?<![\t ])[\t ]+$/g;
const CHUNK_LINE = /^([\da-f]{1,8})[\t ]*(?:;.*)?$/i;

/**
 * Parses a request as sent over a connection: head, empty line, body; its transfer encoding is removed.
 *
 * @returns the problem if it is invalid
 */
function readRawRequest(bytes: Buffer): HttpRequest | string {
  const head = readHead(bytes);
  if (head === undefined) return 'incomplete head';
  const [first = '', ...lines] = head.text.split(/\r?\n/);
  const [, method, target] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) return 'no request line';
  const headers: Header[] = [];
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return 'invalid header line';
    headers.push([name, value.replace(AROUND_VALUE, '')]);
  }
  const body = readBody(headers, bytes.subarray(head.length));
  return body === undefined ? 'truncated body' : { method, target, headers, body };
}

function readHead(bytes: Buffer): { readonly text: string; readonly length: number } | undefined {
  const [end] = ['\r\n\r\n', '\n\n']
    .map((mark) => ({ mark, at: bytes.indexOf(mark) }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at);
  return end && { text: bytes.toString('latin1', 0, end.at), length: end.at + end.mark.length };
}

function readBody(headers: readonly Header[], rest: Buffer): Buffer | undefined {
  if (/\bchunked\b/i.test(findHeader({ headers }, 'transfer-encoding') ?? '')) return withoutChunks(rest);
  const length = Number(findHeader({ headers }, 'content-length') ?? 0);
  return length <= rest.length ? rest.subarray(0, length) : undefined;
}

function withoutChunks(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = rest.indexOf('\r\n', at);
    const size = end === -1 ? undefined : CHUNK_LINE.exec(rest.toString('latin1', at, end))?.[1];
    if (size === undefined) return undefined;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    at = end + 2 + length + 2;
    if (at > rest.length) return undefined;
    chunks.push(rest.subarray(end + 2, end + 2 + length));
  }
}

/** Separator line after each record. */
const SEPARATOR = Buffer.from('🐵🙈🙉');
/** First line of a record: its kind (1 a request, 2 and 3 responses), its id and times in nanoseconds. */
export const GOREPLAY_META = /^([123]) \S+ \d+(?: -?\d+)?\r?$/;
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** Reads files written by GoReplay (`gor --output-file`); responses are skipped. */
export async function* readGoReplay(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  let record = new Gathered(1);
  for await (const { number, bytes } of readLines(chunks, MAX_RECORD_BYTES)) {
    if (bytes?.equals(SEPARATOR) !== true) {
      record.add(bytes);
      continue;
    }
    yield* requestOf(record, passOver);
    record = new Gathered(number + 1);
  }
  // A final record without a separator: the file was truncated, or written by hand.
  if (!record.empty) yield* requestOf(record, passOver);
}

/** Collects the lines of a record. */
class Gathered {
  #lines: Buffer[] = [];
  #length = 0;

  /** @param line first line of the record */
  constructor(readonly line: number) {}

  get empty(): boolean {
    return this.#length === 0;
  }

  /** @param bytes undefined for a line that is too long */
  add(bytes: Buffer | undefined): void {
    this.#length += 1 + (bytes?.length ?? MAX_RECORD_BYTES);
    if (this.#length > MAX_RECORD_BYTES) this.#lines = [];
    else if (bytes !== undefined) this.#lines.push(bytes);
  }

  /** Returns the first line and the rest; undefined if the record is too long. */
  parts(): { readonly meta: string; readonly payload: Buffer } | undefined {
    if (this.#length > MAX_RECORD_BYTES) return undefined;
    const [meta, ...lines] = this.#lines;
    const payload = lines.flatMap((line, index) => (index === 0 ? [line] : [LINE_END, line]));
    return { meta: meta?.toString('latin1') ?? '', payload: Buffer.concat(payload) };
  }
}

const LINE_END = Buffer.from('\n');

function* requestOf(record: Gathered, passOver: PassOver): Generator<FileRequest> {
  const { line } = record;
  const parts = record.parts();
  if (parts === undefined) {
    passOver(line, 'malformed', TOO_LONG);
    return;
  }
  const [, kind] = GOREPLAY_META.exec(parts.meta) ?? [];
  if (kind === undefined) passOver(line, 'malformed', 'not the first line of a GoReplay record');
  if (kind !== '1') return;
  const request = readRawRequest(parts.payload);
  if (typeof request === 'string') passOver(line, 'malformed', request);
  else yield { request, line };
}
