import type { HttpRequest } from '../messages';

/** A request of a file, and where it stands there. */
export interface FileRequest {
  readonly request: HttpRequest;
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Host and port that it went to, where the file holds what went to others, too. */
  readonly host?: string;
}

/** What a reader passes over: `malformed` is not as its kind of file is, `untold` cannot be sent again from it. */
export type Passed = 'malformed' | 'untold';

/** Told of what a reader passes over. The reason holds nothing of the file's content. */
export type PassOver = (line: number, what: Passed, reason: string) => void;

/** Reads the requests of one kind of file, in constant memory; what is no request is told, and passed over. */
export type Reader = (chunks: AsyncIterable<Buffer>, passOver: PassOver) => AsyncIterable<FileRequest>;

export const TOO_LONG = 'too long';

const LINE_END = 0x0a;
/** Most bytes of one line that are held; a body of 4 MB is less than 6 MB of JSON. */
const MOST_LINE_BYTES = 64 * 1024 * 1024;

/** One line of a file, without its line end. */
interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined for a line that is longer than what is held of one. */
  readonly bytes: Buffer | undefined;
}

/** Parts bytes at each LF, in memory for one line; what follows the last one is a line, too, unless it is empty. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  most = MOST_LINE_BYTES,
): AsyncGenerator<Line> {
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

/** A line as text of one character a byte, without the CR that Windows puts before the line end. */
export function lineText(bytes: Buffer, encoding: 'latin1' | 'utf8' = 'latin1'): string {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  return bytes.toString(encoding, 0, end);
}
