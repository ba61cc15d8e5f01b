/** A folder that cannot be imported from or exported to. The message is one line for the operator. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** What the file system gave as the reason: its code where there is one. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
