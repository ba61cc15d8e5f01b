import type { HttpRequest } from '../messages';

export interface FileRequest {
  readonly request: HttpRequest;
  /** First line of the request, from 1. */
  readonly line: number;
}

/**
 * Kind of a skipped part: `malformed` violates the file's format, `incomplete` lacks information needed to
 * send it again.
 */
export type Passed = 'malformed' | 'incomplete';

/** Called for each skipped part. The reason contains nothing of the file's content. */
export type PassOver = (line: number, what: Passed, reason: string) => void;

/** Reads the requests of one kind of file, in constant memory; anything else is reported and skipped. */
export type Reader = (chunks: AsyncIterable<Buffer>, passOver: PassOver) => AsyncIterable<FileRequest>;

export const TOO_LONG = 'too long';

const LINE_END = 0x0a;
/** Maximum length of one line, in bytes; a body of 4 MB takes less than 6 MB of JSON. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** One line of a file, without its line end. */
interface Line {
  /** Line number, from 1. */
  readonly number: number;
  /** Undefined for a line that is too long. */
  readonly bytes: Buffer | undefined;
}

/** Splits bytes at each LF, with one line in memory at a time; a non-empty rest counts as a line. */
export async function* readLines(chunks: AsyncIterable<Buffer>, most = MAX_LINE_BYTES): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const line = (): Line => ({ number, bytes: length > most ? undefined : Buffer.concat(parts) });
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_END, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      length += part.length;
      if (length > most) parts = [];
      else if (part.length > 0) parts.push(part);
      if (end === -1) break;
      yield line();
      number += 1;
      parts = [];
      length = 0;
      start = end + 1;
    }
  }
  if (length > 0) yield line();
}
