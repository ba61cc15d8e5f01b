import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

import { errorWord, systemErrorCode } from './errors';
import { PRIVATE_FILE } from './private-files';

/** Windows has neither flag, although the typings say so. */
const { O_NOFOLLOW, O_NONBLOCK } = constants as Partial<typeof constants>;
/** Opens no link, and does not wait for the other end of a pipe. */
const SAFELY = (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
const READ = constants.O_RDONLY | SAFELY;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | SAFELY;

/** Thrown for a name that leads to something else than a regular file. */
export class IrregularFileError extends Error {
  override readonly name = 'IrregularFileError';

  /**
   * @param code - completes a sentence that begins with the path; also shown where a system's error code
   * would be
   */
  constructor(
    readonly code: 'is a link' | 'is not a regular file',
    options?: ErrorOptions,
  ) {
    super(`The file ${code}.`, options);
  }
}

/**
 * Lists what opening reports for a link that must not be followed (EMLINK: on BSD), and for a socket or a
 * pipe.
 */
const REFUSALS: Readonly<Record<string, IrregularFileError['code']>> = {
  ELOOP: 'is a link',
  EMLINK: 'is a link',
  ENXIO: 'is not a regular file',
};

/** An open regular file; to be closed with `handle.close`. */
export interface RegularFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** In bytes, when it was opened. */
  readonly size: number;
}

/**
 * Opens a regular file for reading. What was opened is checked, not what has the name before or after: in a
 * folder that others can write to, a file may be replaced at any moment by a link to a foreign file, or by a
 * pipe without an end.
 *
 * @throws IrregularFileError, or the file system's error
 */
export function openToRead(path: string): Promise<RegularFile> {
  return openRegular(path, READ);
}

/**
 * Opens a regular file for appending and reading, and creates it for its owner only if it is missing.
 *
 * @throws IrregularFileError, or the file system's error
 */
export async function openToAppend(path: string): Promise<FileHandle> {
  const { handle } = await openRegular(path, APPEND);
  return handle;
}

async function openRegular(path: string, flags: number): Promise<RegularFile> {
  const handle = await open(path, flags, PRIVATE_FILE).catch((cause: unknown) => {
    const refusal = REFUSALS[systemErrorCode(cause) ?? ''];
    throw refusal === undefined ? cause : new IrregularFileError(refusal, { cause });
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new IrregularFileError('is not a regular file');
    if (O_NOFOLLOW === undefined && (await lstat(path)).isSymbolicLink())
      throw new IrregularFileError('is a link');
    return { path, handle, size: stats.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads a regular file to which the operator may have made a link.
 *
 * @throws IrregularFileError, or the file system's error
 */
export function readRegularFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new IrregularFileError('is not a regular file');
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns true if two paths lead to the same existing file. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/** Returns advice for the code of a failed access if another program has the file open, otherwise nothing. */
export function readAdvice(code: string): string {
  return code === 'EBUSY' ? ' Another program has the file open. Close it there, for example in Excel.' : '';
}

/** Describes a failed read in a line, with advice. */
export function cannotRead(path: string, error: unknown): string {
  const code = errorWord(error);
  return `Cannot read ${path} (${code}).${readAdvice(code)}`;
}
