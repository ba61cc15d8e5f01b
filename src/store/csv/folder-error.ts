import { OperatorError } from '../../errors';

/** A folder that cannot be imported from or exported to. The message is one line for the operator. */
export class FolderError extends OperatorError {
  override readonly name = 'FolderError';
}
