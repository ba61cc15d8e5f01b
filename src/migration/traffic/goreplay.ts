import { readLines } from './lines';
import { readRawRequest } from './raw-request';
import { type FileRequest, type PassOver, TOO_LONG } from './reader';

/** A line of its own behind each record. */
const SEPARATOR = Buffer.from('🐵🙈🙉');
/** What a record begins with: its kind (1 a request, 2 and 3 responses), its id and times in nanoseconds. */
export const GOREPLAY_META = /^([123]) \S+ \d+(?: -?\d+)?\r?$/;
const MOST_RECORD_BYTES = 64 * 1024 * 1024;

/** Reads files that GoReplay wrote (`gor --output-file`); its responses are left out. */
export async function* readGoReplay(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  let record = new Gathered(1);
  for await (const { number, bytes } of readLines(chunks, MOST_RECORD_BYTES)) {
    if (bytes?.equals(SEPARATOR) !== true) {
      record.add(bytes);
      continue;
    }
    yield* requestOf(record, passOver);
    record = new Gathered(number + 1);
  }
  // Without a separator behind it: the end of a file that was cut off, or of one written by hand.
  if (!record.empty) yield* requestOf(record, passOver);
}

/** The lines of a record. */
class Gathered {
  #lines: Buffer[] = [];
  #length = 0;

  /** @param line on which the record begins */
  constructor(readonly line: number) {}

  get empty(): boolean {
    return this.#length === 0;
  }

  /** @param bytes undefined for a line that is too long to be held */
  add(bytes: Buffer | undefined): void {
    this.#length += 1 + (bytes?.length ?? MOST_RECORD_BYTES);
    if (this.#length > MOST_RECORD_BYTES) this.#lines = [];
    else if (bytes !== undefined) this.#lines.push(bytes);
  }

  /** The first line, and what follows it; undefined where it is too long. */
  parts(): { readonly meta: string; readonly payload: Buffer } | undefined {
    if (this.#length > MOST_RECORD_BYTES) return undefined;
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
  if (kind === undefined) passOver(line, 'malformed', 'is no line that GoReplay begins a record with');
  if (kind !== '1') return;
  const request = readRawRequest(parts.payload);
  if (typeof request === 'string') passOver(line, 'malformed', request);
  else yield { request, line };
}
