/** The code of a system's or library's error (ECONNRESET, ENOSPC), its name where it has none. */
export function errorCode(error: unknown): string {
  // Not instanceof: an error may come from another realm.
  if (typeof error !== 'object' || error === null) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown error';
}
