import { OperatorError } from '../errors';

/** Why the service cannot start; its message is one line for the operator. */
export class StartError extends OperatorError {
  override readonly name = 'StartError';
}
