import { OperatorError } from '../../support/errors';

/** Why a database is not backed up, restored or moved; nothing of what was there is changed. */
export class KeepingError extends OperatorError {
  override readonly name = 'KeepingError';
}
