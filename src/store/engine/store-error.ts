import { OperatorError } from '../../support/errors';

/** What is wrong with the store, coarse enough to decide on. */
export type StoreTrouble =
  | 'unavailable' // not there, gone, or refusing connections
  | 'timeout' // a statement took longer than it may
  | 'locked' // another process kept the write lock too long
  | 'full' // no space left on the device
  | 'read-only' // may not be written
  | 'corrupt' // damaged, or not a database at all
  | 'newer-schema' // written by a newer version of this program
  | 'older-schema' // written by an older version of this program, and not to be changed here
  | 'moved' // moved away; what it holds is in another database now
  | 'no-schema' // not there yet, and not to be made here
  | 'conflict' // a constraint refused the row
  | 'failed'; // anything else

/**
 * The store could not do what it was asked, and nothing of that request was kept. The message is one line
 * for the log or the terminal and holds no value of any row; `cause` is the driver's own error.
 */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError';

  constructor(
    readonly trouble: StoreTrouble,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
