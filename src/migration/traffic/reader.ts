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

export const TOO_LONG = 'is longer than is read';
