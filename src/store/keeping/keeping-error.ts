import { OperatorError } from '../../support/errors';

/**
 * Thrown when a whole database cannot be backed up, restored or moved; the message is one line for the
 * operator.
 */
export class KeepingError extends OperatorError {
  override readonly name = 'KeepingError';
}
