/** The caller's fault. Its message reaches the caller, so it never repeats a value. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}
