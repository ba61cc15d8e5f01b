/** Why the service cannot start; its message is one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
