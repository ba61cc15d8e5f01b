/** Why the service cannot start, where the process that could not has told it already. */
export class ToldError extends Error {
  override readonly name = 'ToldError';
}
